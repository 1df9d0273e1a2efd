bashcell_unit_test(script
  SOURCES words_test.cpp
  LINKS bashcell_script)

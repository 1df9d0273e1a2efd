bashcell_unit_test(script
  SOURCES first_command_test.cpp words_test.cpp
  LINKS bashcell_script)

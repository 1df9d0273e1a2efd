bashcell_unit_test(heal
  SOURCES
    package_table_test.cpp
    repairable_test.cpp
  LINKS bashcell_heal)

bashcell_unit_test(shelf
  SOURCES keeper_test.cpp place_test.cpp store_test.cpp ../../support/scripted_engine.cpp
  LINKS bashcell_shelf)
target_include_directories(unit_shelf PRIVATE ${PROJECT_SOURCE_DIR}/tests)

bashcell_unit_test(heal
  SOURCES
    install_facts_test.cpp
    installer_test.cpp
    package_table_test.cpp
    model_test.cpp
    repair_answer_test.cpp
    repairable_test.cpp
    repairer_test.cpp
    toolbox_test.cpp
    ../../support/scripted_engine.cpp
  LINKS bashcell_heal)
target_include_directories(unit_heal PRIVATE ${PROJECT_SOURCE_DIR}/tests)

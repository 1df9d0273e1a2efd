bashcell_unit_test(heal
  SOURCES
    healer_test.cpp
    install_facts_test.cpp
    installer_test.cpp
    nearest_test.cpp
    package_table_test.cpp
    model_test.cpp
    remedy_test.cpp
    repair_answer_test.cpp
    repair_call_test.cpp
    repair_run_test.cpp
    repairable_test.cpp
    repairer_test.cpp
    toolbox_test.cpp
    ../../support/scripted_engine.cpp
  LINKS bashcell_heal)
target_include_directories(unit_heal PRIVATE ${PROJECT_SOURCE_DIR}/tests)
bashcell_embed(unit_heal test_tables.h bashcell::heal
  kSituations=tests/unit/heal/situations.json kCommands=packages/commands.json kModules=packages/modules.json)

bashcell_unit_test(engine
  SOURCES
    auto_engine_test.cpp
    bundle_test.cpp
    cell_name_test.cpp
    cgroup_test.cpp
    network_test.cpp
    oci_cell_test.cpp
    private_folder_test.cpp
    protected_paths_test.cpp
    run_folder_test.cpp
    runtime_test.cpp
    ../../support/scripted_engine.cpp
    skeleton_test.cpp
    sweep_test.cpp
  LINKS bashcell_engine)
target_include_directories(unit_engine PRIVATE ${PROJECT_SOURCE_DIR}/tests)

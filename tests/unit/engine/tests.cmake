bashcell_unit_test(engine
  SOURCES
    bundle_test.cpp
    cell_name_test.cpp
    cgroup_test.cpp
    oci_cell_test.cpp
    private_folder_test.cpp
    runtime_test.cpp
    skeleton_test.cpp
    sweep_test.cpp
  LINKS bashcell_engine)
target_include_directories(unit_engine PRIVATE ${PROJECT_SOURCE_DIR}/tests)

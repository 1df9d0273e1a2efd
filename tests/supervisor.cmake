# bashcell-init as a plain child, with scripts that misbehave.
add_executable(supervisor_test
  supervisor/calls_test.cpp supervisor/cell_under_test.cpp supervisor/filter_test.cpp supervisor/fork_server_test.cpp supervisor/heal_test.cpp supervisor/kill_test.cpp supervisor/state_test.cpp)
target_include_directories(supervisor_test PRIVATE supervisor)
target_compile_definitions(supervisor_test PRIVATE
  BASHCELL_INIT="$<TARGET_FILE:bashcell-init>" SOURCE_FOLDER="${PROJECT_SOURCE_DIR}")
target_link_libraries(supervisor_test PRIVATE bashcell_wire bashcell_catch_main bashcell_warnings bashcell_host_flags)
add_dependencies(supervisor_test bashcell-init)
foreach(part calls filter fork_server heal state kill)
  add_test(NAME supervisor.${part} COMMAND supervisor_test "-#" "[#${part}_test]")
  set_tests_properties(supervisor.${part} PROPERTIES LABELS supervisor TIMEOUT 180)
endforeach()

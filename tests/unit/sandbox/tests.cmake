bashcell_unit_test(sandbox
  SOURCES limit_check_test.cpp sandbox_test.cpp session_test.cpp workspace_lock_test.cpp ../../support/scripted_engine.cpp
  LINKS bashcell_sandbox)
target_include_directories(unit_sandbox PRIVATE support)

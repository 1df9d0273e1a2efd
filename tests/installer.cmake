# Installs through real installer cells of the oci engine.
add_executable(installer_test integration/installer_test.cpp integration/oci_place.cpp)
target_include_directories(installer_test PRIVATE ${CMAKE_CURRENT_SOURCE_DIR})
target_link_libraries(installer_test PRIVATE bashcell_heal bashcell_catch_main bashcell_warnings bashcell_host_flags)
find_program(BASHCELL_PYTHON python3 HINTS /usr/bin)
add_test(NAME heal.installer
  COMMAND ${CMAKE_CURRENT_SOURCE_DIR}/integration/installer.sh
          $<TARGET_FILE:installer_test> $<TARGET_FILE:bashcell-init> ${BASHCELL_PYTHON})
set_tests_properties(heal.installer PROPERTIES LABELS container SKIP_RETURN_CODE 77 TIMEOUT 300)

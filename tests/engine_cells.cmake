# Real cells of the oci engine, with a stand-in for the supervisor, in each setting that this machine allows.
add_executable(stand_in_init support/stand_in_init.cpp)
target_link_options(stand_in_init PRIVATE -static)
target_link_libraries(stand_in_init PRIVATE bashcell_warnings)
add_executable(oci_engine_test integration/oci_engine_test.cpp integration/oci_lifecycle_test.cpp
               integration/oci_leftovers.cpp integration/oci_place.cpp)
target_include_directories(oci_engine_test PRIVATE ${CMAKE_CURRENT_SOURCE_DIR})
target_link_libraries(oci_engine_test PRIVATE bashcell_engine bashcell_catch_main bashcell_warnings bashcell_host_flags)
foreach(setting runc crun rootless)
  add_test(NAME engine.oci.${setting}
    COMMAND ${CMAKE_CURRENT_SOURCE_DIR}/integration/oci_engine.sh
            $<TARGET_FILE:oci_engine_test> $<TARGET_FILE:stand_in_init> ${setting})
  set_tests_properties(engine.oci.${setting} PROPERTIES LABELS container SKIP_RETURN_CODE 77 TIMEOUT 300)
endforeach()

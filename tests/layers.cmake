# The shape of the tree and of bashcell-init.
add_test(NAME layers.includes
  COMMAND ${CMAKE_COMMAND} -DSRC=${PROJECT_SOURCE_DIR}/src -P ${PROJECT_SOURCE_DIR}/cmake/check_layers.cmake)
add_test(NAME layers.selftest
  COMMAND ${CMAKE_COMMAND} -DCHECK=${PROJECT_SOURCE_DIR}/cmake/check_layers.cmake
    -DWORK=${CMAKE_CURRENT_BINARY_DIR}/layers_selftest -P ${PROJECT_SOURCE_DIR}/cmake/check_layers_selftest.cmake)
add_test(NAME layers.docs
  COMMAND ${CMAKE_COMMAND} -DROOT=${PROJECT_SOURCE_DIR} -P ${PROJECT_SOURCE_DIR}/cmake/check_docs.cmake)
set_tests_properties(layers.includes layers.selftest layers.docs PROPERTIES LABELS layers)
if(TARGET bashcell-init)
  add_test(NAME layers.init_is_static
    COMMAND ${CMAKE_COMMAND} -DINIT=$<TARGET_FILE:bashcell-init> -P ${PROJECT_SOURCE_DIR}/cmake/check_init.cmake)
  set_tests_properties(layers.init_is_static PROPERTIES LABELS layers)
endif()

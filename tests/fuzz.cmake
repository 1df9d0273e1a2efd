# The fuzz targets, side by side: their corpora, and then 5 s of new inputs, the same whenever nothing has changed. They are built by
# clang++ in a build of their own. Skipped where that has no libFuzzer; scripts/fuzz.sh runs them for longer.
set(fuzz ${PROJECT_SOURCE_DIR}/scripts/fuzz.sh --build ${CMAKE_BINARY_DIR}/fuzz --seed 1)
add_test(NAME fuzz.build COMMAND ${fuzz} 0)
set_tests_properties(fuzz.build PROPERTIES
  LABELS fuzz FIXTURES_SETUP fuzz_targets SKIP_RETURN_CODE 77 TIMEOUT 900 PROCESSORS 2)
add_test(NAME fuzz.run COMMAND ${fuzz} 5)
set_tests_properties(fuzz.run PROPERTIES
  LABELS fuzz FIXTURES_REQUIRED fuzz_targets SKIP_RETURN_CODE 77 TIMEOUT 300 PROCESSORS 2)

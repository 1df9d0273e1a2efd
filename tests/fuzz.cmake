# The fuzz targets, side by side: their corpora, and then 5 s of new inputs, the same whenever nothing has changed. They are built by
# clang++ in a build of their own. Skipped where that has no libFuzzer, unless BASHCELL_REQUIRE names fuzz; scripts/fuzz.sh runs
# them for longer.
set(fuzz ${PROJECT_SOURCE_DIR}/scripts/fuzz.sh --build ${CMAKE_BINARY_DIR}/fuzz --seed 1)
add_test(NAME fuzz.build COMMAND ${fuzz} 0)
set_tests_properties(fuzz.build PROPERTIES
  LABELS fuzz FIXTURES_SETUP fuzz_targets SKIP_RETURN_CODE 77 TIMEOUT 900 PROCESSORS 2)
add_test(NAME fuzz.run COMMAND ${fuzz} 5)
set_tests_properties(fuzz.run PROPERTIES
  LABELS fuzz FIXTURES_REQUIRED fuzz_targets SKIP_RETURN_CODE 77 TIMEOUT 300 PROCESSORS 2)
# What says so is tried with a clang++ that can do nothing.
set(no_clang ${CMAKE_CURRENT_BINARY_DIR}/no_clang)
file(MAKE_DIRECTORY ${no_clang}/bin)
file(CREATE_LINK /bin/false ${no_clang}/bin/clang++ SYMBOLIC)
add_test(NAME fuzz.required COMMAND bash -c [=[
  ends_with() {
    local wanted=$1 code=0
    shift
    env "$@" || code=$?
    ((code == wanted)) || { echo "exit code $code instead of $wanted: $*"; exit 1; }
  }
  build=$1 fuzz=$2 PATH="$1/bin:$PATH"
  ends_with 77 -u BASHCELL_REQUIRE "$fuzz" --build "$build" 0
  ends_with 77 BASHCELL_REQUIRE=oci,docker "$fuzz" --build "$build" 0
  ends_with 1 BASHCELL_REQUIRE=oci,fuzz "$fuzz" --build "$build" 0
  ]=] fuzz.required ${no_clang} ${PROJECT_SOURCE_DIR}/scripts/fuzz.sh)
set_tests_properties(fuzz.required PROPERTIES LABELS fuzz TIMEOUT 60)

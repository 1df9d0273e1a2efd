bashcell_unit_test(mcp
  SOURCES call_test.cpp legacy_test.cpp modern_test.cpp sampling_test.cpp
  LINKS bashcell_mcp)

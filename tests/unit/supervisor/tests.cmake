bashcell_unit_test(supervisor
  SOURCES
    binary_gate_test.cpp capture_test.cpp cell_command_test.cpp clean_test.cpp highlights_test.cpp last_line_test.cpp line_shape_test.cpp read_pace_test.cpp
    outline_test.cpp spill_test.cpp state_test.cpp trim_test.cpp
  LINKS bashcell_supervisor)

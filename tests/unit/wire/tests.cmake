bashcell_unit_test(wire
  SOURCES frame_test.cpp messages_test.cpp shelf_test.cpp
  LINKS bashcell_wire)

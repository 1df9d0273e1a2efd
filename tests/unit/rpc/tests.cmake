bashcell_unit_test(rpc
  SOURCES connection_test.cpp line_splitter_test.cpp match_test.cpp message_test.cpp player_test.cpp recording_test.cpp
          reply_test.cpp stdio_transport_test.cpp transcript_test.cpp
  LINKS bashcell_rpc)

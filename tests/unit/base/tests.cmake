bashcell_unit_test(base
  SOURCES budget_test.cpp event_loop_test.cpp file_lock_test.cpp file_test.cpp message_file_test.cpp process_test.cpp sha256_test.cpp text_test.cpp unique_fd_test.cpp unix_socket_test.cpp utf8_test.cpp
  LINKS bashcell_base)

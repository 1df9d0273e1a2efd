# What several kinds of tests use. None of it is linked into bashcell.
add_executable(server_under_test support/server_under_test.cpp support/local_engine.cpp)
target_include_directories(server_under_test PRIVATE support)
target_link_libraries(server_under_test PRIVATE bashcell_commands bashcell_warnings bashcell_host_flags)

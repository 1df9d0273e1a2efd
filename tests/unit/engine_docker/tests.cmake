bashcell_unit_test(engine_docker
  SOURCES
    address_test.cpp
    attach_stream_test.cpp
    container_config_test.cpp
    context_test.cpp
    control_socket_test.cpp
    engine_api_test.cpp
    image_pull_test.cpp
    network_test.cpp
    pull_progress_test.cpp
    tar_test.cpp
  LINKS bashcell_engine_docker)
target_include_directories(unit_engine_docker PRIVATE ${PROJECT_SOURCE_DIR}/tests)

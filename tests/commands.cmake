# The command line: options, exit codes, run, doctor, replay. Where cells can be started, in real ones.
find_package(Python3 COMPONENTS Interpreter)
if(TARGET bashcell AND Python3_Interpreter_FOUND)
  add_test(NAME commands.all
    COMMAND ${Python3_EXECUTABLE} -B ${CMAKE_CURRENT_SOURCE_DIR}/commands/commands_test.py $<TARGET_FILE:bashcell>)
  add_test(NAME commands.config
    COMMAND ${Python3_EXECUTABLE} -B ${CMAKE_CURRENT_SOURCE_DIR}/commands/config_test.py $<TARGET_FILE:bashcell>)
  add_test(NAME commands.install
    COMMAND ${Python3_EXECUTABLE} -B ${CMAKE_CURRENT_SOURCE_DIR}/commands/install_test.py $<TARGET_FILE:bashcell>
      ${CMAKE_COMMAND} ${CMAKE_BINARY_DIR})
  set_tests_properties(commands.all commands.config commands.install PROPERTIES LABELS commands TIMEOUT 300)
endif()

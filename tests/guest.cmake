# Cells where cgroup v2 is all there is, and the Debian package: one boot of the guest of scripts/guest.sh, whose clock does
# not depend on how busy this machine is. The package is made of this very build, so that it costs no other one: the guest
# has the libraries of the sanitizers, which it depends on then. Skipped, with the reason, where qemu is missing.
if(TARGET bashcell)
  set(folder ${CMAKE_CURRENT_LIST_DIR})
  add_test(NAME guest.cgroup2
    COMMAND ${PROJECT_SOURCE_DIR}/scripts/guest.sh run --seconds 1700 --with ${folder}/integration
      --with ${folder}/guest/cgroup2.sh --with ${folder}/guest/package.sh --package ${CMAKE_BINARY_DIR}
      --with $<TARGET_FILE:bashcell> --with $<TARGET_FILE:bashcell-init> -- /guest/cgroup2.sh)
  # Two to three minutes on an idle machine; begun early, since it is one process.
  set_tests_properties(guest.cgroup2 PROPERTIES LABELS guest TIMEOUT 1800 COST 900 SKIP_RETURN_CODE 77)
endif()

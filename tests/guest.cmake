# Cells where cgroup v2 is all there is: one boot of the guest of scripts/guest.sh, whose clock does not depend on how
# busy this machine is. Skipped, with the reason, where qemu is missing.
if(TARGET bashcell)
  set(folder ${CMAKE_CURRENT_LIST_DIR})
  add_test(NAME guest.cgroup2
    COMMAND ${PROJECT_SOURCE_DIR}/scripts/guest.sh run --seconds 1700 --with ${folder}/integration
      --with ${folder}/guest/cgroup2.sh --with $<TARGET_FILE:bashcell>
      --with $<TARGET_FILE:bashcell-init> -- /guest/cgroup2.sh)
  # Two minutes on an idle machine; begun early, since it is one process.
  set_tests_properties(guest.cgroup2 PROPERTIES LABELS guest TIMEOUT 1800 COST 900 SKIP_RETURN_CODE 77)
endif()

# Read by cpack. Without dpkg-shlibdeps it would make a Debian package that depends on no library, and say so in one line
# of many.
if(CPACK_GENERATOR STREQUAL DEB)
  find_program(dpkg_shlibdeps dpkg-shlibdeps)
  if(NOT dpkg_shlibdeps)
    message(FATAL_ERROR "There is no dpkg-shlibdeps, which finds what the Debian package depends on: apt-get install dpkg-dev")
  endif()
endif()

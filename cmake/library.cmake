# How a folder becomes a library, and which flags each of the two programs is built with.

add_library(bashcell_warnings INTERFACE)
target_compile_options(bashcell_warnings INTERFACE
  -Wall -Wextra -Wshadow -Wconversion -Wswitch-enum -Wnon-virtual-dtor
  -Wno-missing-field-initializers)  # designated initialisers leave out what has a default
if(CMAKE_CXX_COMPILER_ID STREQUAL "GNU")
  # Both report false positives inside libstdc++ and nlohmann/json with g++ 12 at -O2 and above (GCC bugs 105329, 105562).
  target_compile_options(bashcell_warnings INTERFACE -Wno-maybe-uninitialized -Wno-restrict)
endif()
if(BASHCELL_WERROR)
  target_compile_options(bashcell_warnings INTERFACE -Werror)
endif()

# The host program and everything that tests link. Small: it mostly waits, and each server has its code in memory.
add_library(bashcell_host_flags INTERFACE)
target_compile_options(bashcell_host_flags INTERFACE $<$<CONFIG:Release>:-Os> -ffunction-sections -fdata-sections)
target_link_options(bashcell_host_flags INTERFACE -Wl,--gc-sections)
if(BASHCELL_SANITIZE)
  # Not vptr: it looks into memory through a pipe, and calls it broken when a test has used up the descriptors.
  target_compile_options(bashcell_host_flags INTERFACE
    -fsanitize=address,undefined -fno-sanitize=vptr -fno-sanitize-recover=undefined -fno-omit-frame-pointer)
  target_link_options(bashcell_host_flags INTERFACE -fsanitize=address,undefined)
endif()

# bashcell-init: static (ASan cannot be), small. UBSan can trap without a runtime.
add_library(bashcell_init_flags INTERFACE)
target_compile_options(bashcell_init_flags INTERFACE -Os -ffunction-sections -fdata-sections)
target_link_options(bashcell_init_flags INTERFACE -static -Wl,--gc-sections -Wl,-s)
if(BASHCELL_SANITIZE)
  target_compile_options(bashcell_init_flags INTERFACE -fsanitize=undefined -fsanitize-undefined-trap-on-error)
endif()

if(BASHCELL_PRECOMPILED)
  bashcell_precompiled(bashcell_precompiled_host
    LIBRARIES fmt::fmt nlohmann_json::nlohmann_json HEADERS ${bashcell_precompiled_headers})
endif()

# bashcell_library(NAME [IN_INIT] SOURCES file... [LINKS target...])
# One static library per folder. LINKS names everything it may include: that list is the layering rule.
# IN_INIT also builds NAME_init, the same sources with the flags of bashcell-init.
function(bashcell_library name)
  cmake_parse_arguments(arg "IN_INIT" "" "SOURCES;LINKS" ${ARGN})
  add_library(${name} STATIC ${arg_SOURCES})
  target_include_directories(${name} PUBLIC ${PROJECT_SOURCE_DIR}/src)
  target_link_libraries(${name} PUBLIC ${arg_LINKS} PRIVATE bashcell_warnings bashcell_host_flags)
  bashcell_reuse_precompiled(${name} bashcell_precompiled_host)
  if(arg_IN_INIT)
    add_library(${name}_init STATIC ${arg_SOURCES})
    target_include_directories(${name}_init PUBLIC ${PROJECT_SOURCE_DIR}/src)
    set(init_links "")
    foreach(link ${arg_LINKS})
      if(link MATCHES "^bashcell_")
        list(APPEND init_links ${link}_init)
      else()
        list(APPEND init_links ${link})
      endif()
    endforeach()
    target_link_libraries(${name}_init PUBLIC ${init_links} PRIVATE bashcell_warnings bashcell_init_flags)
  endif()
endfunction()

# Installs into a fresh prefix, and looks at what came: the libraries, the door, rooms' headers, and
# nothing that belongs to tests or to a room's insides. An installation before it is taken away again.

cmake_minimum_required(VERSION 3.25)

function(install_into prefix)
  file(REMOVE_RECURSE "${prefix}")
  execute_process(COMMAND "${CMAKE_COMMAND}" --install "${BUILD}" --prefix "${prefix}"
    OUTPUT_QUIET COMMAND_ERROR_IS_FATAL ANY)
endfunction()

# Only the program was built, as by `make demo`: nothing else in the build tree uses this library.
file(REMOVE "${BUILD}/lib/bundle/libvyre_core.a")
install_into("${PREFIX}")
file(WRITE "${PREFIX}/include/vyre/base/of_someone_else.h" "")
execute_process(COMMAND "${CMAKE_COMMAND}" --build "${BUILD}" --target uninstall
  OUTPUT_QUIET COMMAND_ERROR_IS_FATAL ANY)
file(GLOB_RECURSE left RELATIVE "${PREFIX}" "${PREFIX}/*")
file(GLOB folders RELATIVE "${PREFIX}/include/vyre" "${PREFIX}/include/vyre/*")
if(NOT left STREQUAL "include/vyre/base/of_someone_else.h" OR NOT folders STREQUAL "base")
  message(SEND_ERROR "left after uninstalling: ${left}; folders: ${folders}")
endif()

install_into("${PREFIX}")
file(GLOB_RECURSE installed RELATIVE "${PREFIX}" "${PREFIX}/*")

foreach(wanted
    "include/vyre/vyre.h" "include/vyre/session.h" "include/vyre/c.h" "include/vyre/tuner.h"
    "include/vyre/base/error.h"
    "include/vyre/wgsl/module.h"
    "(.*/)?libvyre_core\\.a" "(.*/)?libvyre_engine\\.a" "(.*/)?libvyre\\.so"
    ".*/vyreConfig\\.cmake" ".*/pkgconfig/vyre\\.pc" ".*/pkgconfig/vyre-engine\\.pc"
    ".*/pkgconfig/vyre-c\\.pc")
  set(matching ${installed})
  list(FILTER matching INCLUDE REGEX "^${wanted}$")
  if(NOT matching)
    message(SEND_ERROR "not installed: ${wanted}")
  endif()
endforeach()
set(unwanted ${installed})
list(FILTER unwanted INCLUDE REGEX "_test|_internal|/sema_|/fuzz/|\\.cc$|gtest")
if(unwanted)
  message(SEND_ERROR "installed, but belongs to tests or insides: ${unwanted}")
endif()

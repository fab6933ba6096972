# Installs into a fresh prefix, and looks at what came: the libraries, the door, rooms' headers, and
# nothing that belongs to tests or to a room's insides.

cmake_minimum_required(VERSION 3.25)

file(REMOVE_RECURSE "${PREFIX}")
execute_process(COMMAND "${CMAKE_COMMAND}" --install "${BUILD}" --prefix "${PREFIX}"
  OUTPUT_QUIET COMMAND_ERROR_IS_FATAL ANY)
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

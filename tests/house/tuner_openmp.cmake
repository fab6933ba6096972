# Builds the OpenMP program of examples/tuner against what was installed, by CMake and by one command
# of the compiler, and runs it twice: the second run begins with what the first one found.

cmake_minimum_required(VERSION 3.25)

file(REMOVE_RECURSE "${BINARY}")
set(strict -Wall -Wextra -Wpedantic -Werror)
list(JOIN strict " " flags)
execute_process(
  COMMAND "${CMAKE_COMMAND}" -S "${SOURCE}/openmp" -B "${BINARY}/cmake" -G Ninja
    "-DCMAKE_PREFIX_PATH=${PREFIX}" "-DCMAKE_CXX_COMPILER=${COMPILER}" "-DCMAKE_CXX_FLAGS=${flags}"
    -DCMAKE_DISABLE_FIND_PACKAGE_LLVM=ON --no-warn-unused-cli
  OUTPUT_QUIET COMMAND_ERROR_IS_FATAL ANY)
execute_process(COMMAND "${CMAKE_COMMAND}" --build "${BINARY}/cmake" COMMAND_ERROR_IS_FATAL ANY)

find_program(pkg_config pkg-config REQUIRED)
set(ENV{PKG_CONFIG_PATH} "${PREFIX}/${LIBDIR}/pkgconfig")
execute_process(COMMAND "${pkg_config}" --cflags --libs vyre
  OUTPUT_VARIABLE flags OUTPUT_STRIP_TRAILING_WHITESPACE COMMAND_ERROR_IS_FATAL ANY)
separate_arguments(flags UNIX_COMMAND "${flags}")
file(MAKE_DIRECTORY "${BINARY}/command")
execute_process(
  COMMAND "${COMPILER}" -std=c++23 -O2 -fopenmp ${strict} "${SOURCE}/openmp/main.cc" ${flags}
    -o "${BINARY}/command/spmm"
  COMMAND_ERROR_IS_FATAL ANY)

foreach(way cmake command)
  execute_process(COMMAND "${BINARY}/${way}/spmm" 2000 300
    OUTPUT_VARIABLE said_${way} COMMAND_ERROR_IS_FATAL ANY)
  if(NOT said_${way} MATCHES "tuned choice .* results are right")
    message(FATAL_ERROR "the program said: ${said_${way}}")
  endif()
  message(STATUS "${said_${way}}")
endforeach()
string(REGEX MATCH "tuned choice (schedule=[a-z]+ chunk=[0-9]+ block=[0-9]+)" found "${said_cmake}")
if(NOT said_command MATCHES "begins with ${CMAKE_MATCH_1}:")
  message(FATAL_ERROR "the second run does not begin with ${CMAKE_MATCH_1}: ${said_command}")
endif()

# Builds the consumer against the installed library and runs it. WAY: cmake, pkg_config, or engine
# (CMake with the component engine).

cmake_minimum_required(VERSION 3.25)

file(REMOVE_RECURSE "${BINARY}")
file(MAKE_DIRECTORY "${BINARY}")

if(NOT WAY STREQUAL "pkg_config")
  set(engine OFF)
  if(WAY STREQUAL "engine")
    set(engine ON)
  endif()
  execute_process(
    COMMAND "${CMAKE_COMMAND}" -S "${SOURCE}" -B "${BINARY}" -G Ninja
      "-DCMAKE_PREFIX_PATH=${PREFIX}" "-DENGINE=${engine}" "-DCMAKE_CXX_COMPILER=${COMPILER}"
    OUTPUT_QUIET COMMAND_ERROR_IS_FATAL ANY)
  execute_process(COMMAND "${CMAKE_COMMAND}" --build "${BINARY}" COMMAND_ERROR_IS_FATAL ANY)
endif()

if(WAY STREQUAL "cmake")
  # Our headers ask for nothing but the standard library.
  execute_process(
    COMMAND "${COMPILER}" -std=c++23 "-I${PREFIX}/include" -M "${BINARY}/every_header.cc"
    OUTPUT_VARIABLE included COMMAND_ERROR_IS_FATAL ANY)
  string(REGEX MATCHALL "[^ \n]*/(fmt|spdlog|nlohmann|toml\\+\\+|CLI|llvm|llvm-c)/[^ \n]*"
    foreign "${included}")
  if(foreign)
    message(FATAL_ERROR "installed headers include third-party headers: ${foreign}")
  endif()
endif()

if(WAY STREQUAL "pkg_config")
  find_program(pkg_config pkg-config REQUIRED)
  set(ENV{PKG_CONFIG_PATH} "${PREFIX}/${LIBDIR}/pkgconfig")
  execute_process(COMMAND "${pkg_config}" --cflags --libs --static vyre
    OUTPUT_VARIABLE flags OUTPUT_STRIP_TRAILING_WHITESPACE COMMAND_ERROR_IS_FATAL ANY)
  separate_arguments(flags UNIX_COMMAND "${flags}")
  execute_process(
    COMMAND "${COMPILER}" -std=c++23 -Wall -Wextra -Wpedantic -Werror "${SOURCE}/main.cc"
      -o "${BINARY}/consumer" ${flags}
    COMMAND_ERROR_IS_FATAL ANY)
endif()

execute_process(COMMAND "${BINARY}/consumer" OUTPUT_VARIABLE said COMMAND_ERROR_IS_FATAL ANY)
if(NOT said STREQUAL "vyre ${VERSION}: 1 3 5 7\n")
  message(FATAL_ERROR "the consumer said: ${said}")
endif()
message(STATUS "${said}")

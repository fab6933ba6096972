# A program that includes every installed header compiles, and gets nothing of third parties.

cmake_minimum_required(VERSION 3.25)

file(REMOVE_RECURSE "${BINARY}")
execute_process(
  COMMAND "${CMAKE_COMMAND}" -S "${SOURCE}" -B "${BINARY}" -G Ninja
    "-DCMAKE_PREFIX_PATH=${PREFIX}" "-DCMAKE_CXX_COMPILER=${COMPILER}"
  OUTPUT_QUIET COMMAND_ERROR_IS_FATAL ANY)
execute_process(COMMAND "${CMAKE_COMMAND}" --build "${BINARY}" COMMAND_ERROR_IS_FATAL ANY)
execute_process(
  COMMAND "${COMPILER}" -std=c++23 "-I${PREFIX}/include" -M "${BINARY}/every_header.cc"
  OUTPUT_VARIABLE included COMMAND_ERROR_IS_FATAL ANY)
string(REGEX MATCHALL "[^ \n]*/(fmt|spdlog|nlohmann|toml\\+\\+|CLI|llvm|llvm-c)/[^ \n]*"
  foreign "${included}")
if(foreign)
  message(FATAL_ERROR "installed headers include third-party headers: ${foreign}")
endif()

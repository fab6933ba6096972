# Configures and builds fixture/ as CASE, and compares with what is expected of STEP.

cmake_minimum_required(VERSION 3.25)

file(REMOVE_RECURSE "${BINARY}")
execute_process(
  COMMAND "${CMAKE_COMMAND}" -S "${SOURCE}" -B "${BINARY}" -G Ninja "-DCASE=${CASE}"
    "-DMODULES=${MODULES}" "-DCMAKE_CXX_COMPILER=${COMPILER}"
  RESULT_VARIABLE configured OUTPUT_VARIABLE output ERROR_VARIABLE output)
set(built "not tried")
if(configured EQUAL 0)
  execute_process(COMMAND "${CMAKE_COMMAND}" --build "${BINARY}"
    RESULT_VARIABLE built OUTPUT_VARIABLE output ERROR_VARIABLE output)
endif()

if(STEP STREQUAL "configure_fails")
  set(as_expected FALSE)
  if(NOT configured EQUAL 0)
    set(as_expected TRUE)
  endif()
elseif(STEP STREQUAL "build_fails")
  set(as_expected FALSE)
  if(configured EQUAL 0 AND NOT built EQUAL 0)
    set(as_expected TRUE)
  endif()
else()
  set(as_expected FALSE)
  if(built EQUAL 0)
    set(as_expected TRUE)
  endif()
endif()

# CMake wraps its messages.
string(REGEX REPLACE "[ \n]+" " " text "${output}")
string(FIND "${text}" "${EXPECTED}" at)
if(NOT as_expected OR at EQUAL -1)
  message(FATAL_ERROR "expected ${STEP} with \"${EXPECTED}\"; configure gave ${configured}, build "
    "gave ${built}:\n${output}")
endif()

# Builds an example of examples/embed against what was installed, and runs it. PART: interpreter,
# engine, c, pipeline or pipeline_c; WAY: cmake or pkg_config.

cmake_minimum_required(VERSION 3.25)

file(REMOVE_RECURSE "${BINARY}")
file(MAKE_DIRECTORY "${BINARY}")
set(strict -Wall -Wextra -Wpedantic -Werror)

if(WAY STREQUAL "cmake")
  list(JOIN strict " " flags)
  execute_process(
    COMMAND "${CMAKE_COMMAND}" -S "${SOURCE}/${PART}" -B "${BINARY}" -G Ninja
      "-DCMAKE_PREFIX_PATH=${PREFIX}" "-DCMAKE_C_COMPILER=${C_COMPILER}"
      "-DCMAKE_CXX_COMPILER=${COMPILER}" "-DCMAKE_C_FLAGS=${flags}" "-DCMAKE_CXX_FLAGS=${flags}"
      --no-warn-unused-cli
    OUTPUT_QUIET COMMAND_ERROR_IS_FATAL ANY)
  execute_process(COMMAND "${CMAKE_COMMAND}" --build "${BINARY}" COMMAND_ERROR_IS_FATAL ANY)
else()
  set(name_interpreter vyre)
  set(name_engine vyre-engine)
  set(name_c vyre-c)
  set(name_pipeline vyre-engine)
  set(name_pipeline_c vyre-c)
  find_program(pkg_config pkg-config REQUIRED)
  set(ENV{PKG_CONFIG_PATH} "${PREFIX}/${LIBDIR}/pkgconfig")
  execute_process(COMMAND "${pkg_config}" --cflags --libs "${name_${PART}}"
    OUTPUT_VARIABLE flags OUTPUT_STRIP_TRAILING_WHITESPACE COMMAND_ERROR_IS_FATAL ANY)
  separate_arguments(flags UNIX_COMMAND "${flags}")
  set(command "${COMPILER}" -std=c++23 "${SOURCE}/${PART}/main.cc")
  if(PART MATCHES "c$")
    set(command "${C_COMPILER}" -std=c99 "${SOURCE}/${PART}/main.c" "-Wl,-rpath,${PREFIX}/${LIBDIR}")
  endif()
  execute_process(COMMAND ${command} ${strict} -o "${BINARY}/embed" ${flags}
    COMMAND_ERROR_IS_FATAL ANY)
endif()

execute_process(COMMAND "${BINARY}/embed" OUTPUT_VARIABLE said COMMAND_ERROR_IS_FATAL ANY)
if(NOT said STREQUAL "vyre ${VERSION}: 1 3 5 7\n")
  message(FATAL_ERROR "the program said: ${said}")
endif()
message(STATUS "${said}")

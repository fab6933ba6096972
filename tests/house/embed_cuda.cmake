# Builds the CUDA program of examples/embed against what was installed, by CMake and by nvcc alone,
# and runs it where there is a GPU.

cmake_minimum_required(VERSION 3.25)

file(REMOVE_RECURSE "${BINARY}")
execute_process(
  COMMAND "${CMAKE_COMMAND}" -S "${SOURCE}/cuda" -B "${BINARY}/cmake" -G Ninja
    "-DCMAKE_PREFIX_PATH=${PREFIX}" "-DCMAKE_CXX_COMPILER=${COMPILER}"
    "-DCMAKE_CUDA_COMPILER=${NVCC}" "-DCMAKE_CUDA_FLAGS=-Werror all-warnings -Xcompiler -Wall"
  OUTPUT_QUIET COMMAND_ERROR_IS_FATAL ANY)
execute_process(COMMAND "${CMAKE_COMMAND}" --build "${BINARY}/cmake" COMMAND_ERROR_IS_FATAL ANY)
file(MAKE_DIRECTORY "${BINARY}/nvcc")
execute_process(
  COMMAND "${NVCC}" "${SOURCE}/cuda/main.cu" "-I${PREFIX}/include" "-L${PREFIX}/${LIBDIR}" -lvyre
    -lcuda -Xlinker -rpath "-Xlinker" "${PREFIX}/${LIBDIR}" -o "${BINARY}/nvcc/embed"
  COMMAND_ERROR_IS_FATAL ANY)

foreach(way cmake nvcc)
  execute_process(COMMAND "${BINARY}/${way}/embed"
    RESULT_VARIABLE result OUTPUT_VARIABLE said ERROR_VARIABLE complaint)
  if(complaint MATCHES "libcuda\\.so\\.1: cannot open|CUDA: .*(driver|no CUDA-capable device)")
    message(STATUS "built; skipped running it: ${complaint}")
  elseif(NOT result EQUAL 0 OR NOT said STREQUAL "vyre ${VERSION}: 1 3 5 7\n")
    message(FATAL_ERROR "the program ended with ${result} and said: ${said}${complaint}")
  endif()
endforeach()

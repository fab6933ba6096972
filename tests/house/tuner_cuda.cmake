# Builds the CUDA program of examples/tuner against what was installed, by CMake and by nvcc alone.
# It runs where there is a GPU, and says so where there is none.

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
  COMMAND "${NVCC}" -O3 "${SOURCE}/cuda/main.cu" "-I${PREFIX}/include" "-L${PREFIX}/${LIBDIR}"
    -lvyre -Xlinker -rpath "-Xlinker" "${PREFIX}/${LIBDIR}" -o "${BINARY}/nvcc/tuned"
  COMMAND_ERROR_IS_FATAL ANY)

foreach(way cmake nvcc)
  execute_process(COMMAND "${BINARY}/${way}/tuned" 16 600
    RESULT_VARIABLE result OUTPUT_VARIABLE said ERROR_VARIABLE complaint)
  if(result EQUAL 0 AND said MATCHES "there is no GPU")
    message(STATUS "built; skipped running it: ${said}")
  elseif(NOT result EQUAL 0 OR NOT said MATCHES "stencil +first .* times as fast")
    message(FATAL_ERROR "the program ended with ${result} and said: ${said}${complaint}")
  endif()
endforeach()

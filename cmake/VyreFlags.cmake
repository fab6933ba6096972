# Flags for our own code. `vyre_flags` is linked privately by every room, test and program.

if(NOT CMAKE_BUILD_TYPE AND NOT CMAKE_CONFIGURATION_TYPES)
  set(CMAKE_BUILD_TYPE Release CACHE STRING "Release, Debug or RelWithDebInfo" FORCE)
endif()
set(CMAKE_CXX_FLAGS_RELEASE "-O2 -DNDEBUG")

find_program(VYRE_CCACHE ccache DOC "Compiler cache; used when there is one")
if(VYRE_CCACHE AND NOT CMAKE_CXX_COMPILER_LAUNCHER)
  set(CMAKE_CXX_COMPILER_LAUNCHER "${VYRE_CCACHE}")
endif()

add_library(vyre_flags INTERFACE)
target_compile_options(vyre_flags INTERFACE
  -Wall -Wextra -Wpedantic -Werror
  # One rule for multiply-add, in the IR: the compiler must never fuse on its own.
  -ffp-contract=off
  # Source positions in messages start at the project, not at somebody's home.
  "-fmacro-prefix-map=${PROJECT_SOURCE_DIR}/src/=vyre/"
  "-fmacro-prefix-map=${PROJECT_SOURCE_DIR}/=")

# GCC's library makes stable_sort of functions that it calls deprecated; only clang minds.
if(CMAKE_CXX_COMPILER_ID STREQUAL "Clang")
  target_compile_options(vyre_flags INTERFACE -Wno-deprecated-declarations)
endif()

# A program that is built here also runs where this compiler is not.
if(NOT VYRE_SANITIZE)
  target_link_options(vyre_flags INTERFACE -static-libstdc++ -static-libgcc)
endif()

if(VYRE_SANITIZE)
  target_compile_options(vyre_flags INTERFACE
    "-fsanitize=${VYRE_SANITIZE}" -fno-sanitize-recover=all -fno-omit-frame-pointer)
  target_link_options(vyre_flags INTERFACE "-fsanitize=${VYRE_SANITIZE}")
  # Sanitizer builds link many programs, and lld takes a fourth of the time.
  find_program(VYRE_LLD ld.lld-19 DOC "Links sanitizer builds; used when there is one")
  mark_as_advanced(VYRE_LLD)
  if(VYRE_LLD AND CMAKE_CXX_COMPILER_ID STREQUAL "Clang")
    target_link_options(vyre_flags INTERFACE "--ld-path=${VYRE_LLD}")
  endif()
endif()

if(VYRE_FUZZ)
  if(NOT CMAKE_CXX_COMPILER_ID STREQUAL "Clang")
    message(FATAL_ERROR "VYRE_FUZZ needs clang (libFuzzer); use the preset `asan`.")
  endif()
  target_compile_options(vyre_flags INTERFACE -fsanitize=fuzzer-no-link)
endif()

# The code of tests runs once: optimising it costs more time than it saves. The rooms under test
# keep the flags of the build. Suites compute more, and are optimised a little.
add_library(vyre_test_flags INTERFACE)
add_library(vyre_suite_flags INTERFACE)
foreach(flags vyre_test_flags vyre_suite_flags)
  target_link_libraries(${flags} INTERFACE vyre_flags)
endforeach()
if(VYRE_SANITIZE)
  target_compile_options(vyre_test_flags INTERFACE -O0)
  target_compile_options(vyre_suite_flags INTERFACE -O0)
elseif(CMAKE_BUILD_TYPE STREQUAL "Release")
  target_compile_options(vyre_test_flags INTERFACE -O0)
  target_compile_options(vyre_suite_flags INTERFACE -O1)
endif()

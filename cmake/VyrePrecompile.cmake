# Precompiled headers of the standard library and of other people's libraries: what most of a file's
# compile time goes to. None of ours, so that a room still sees only what it names.
#
#   vyre_precompile(<target> FLAGS <target> [PROGRAM] [OPTIONS <compile options>...] [LIBS <targets>...])
#
# FLAGS is what the target takes its flags from; PROGRAM says that it is no part of a library, OPTIONS
# what it is compiled with besides. Targets that agree in all this share one set of headers.

include_guard(GLOBAL)

option(VYRE_PRECOMPILE "Precompile headers of the standard and of other libraries" OFF)

set(_vyre_precompiled
  <algorithm> <array> <chrono> <cmath> <cstdint> <expected> <filesystem> <functional> <map> <memory>
  <mutex> <optional> <span> <sstream> <string> <string_view> <unordered_map> <variant> <vector>
  <fmt/format.h>)
set(_vyre_precompiled_GTest::gtest <gtest/gtest.h>)
set(_vyre_precompiled_third_party_json <nlohmann/json.hpp>)
set(_vyre_precompiled_third_party_llvm
  <llvm/IR/IRBuilder.h> <llvm/IR/IntrinsicInst.h> <llvm/IR/Module.h> <llvm/IR/PassManager.h>)

function(vyre_precompile target)
  cmake_parse_arguments(PARSE_ARGV 1 arg "PROGRAM" "FLAGS" "OPTIONS;LIBS")
  # A compiler cache knows files that include precompiled headers only by its own rules.
  if(NOT VYRE_PRECOMPILE OR CMAKE_CXX_COMPILER_LAUNCHER)
    return()
  endif()
  # LLVM's are many, and bring flags of their own: not for the few files of a program.
  if(arg_PROGRAM AND "third_party_llvm" IN_LIST arg_LIBS)
    return()
  endif()
  # GCC 12, where it optimises, warns that precompiled strings leave their bounds, which they do not.
  # A build without precompiled headers has these warnings.
  if(CMAKE_CXX_COMPILER_ID STREQUAL "GNU")
    target_compile_options(${target} PRIVATE
      -Wno-array-bounds -Wno-stringop-overflow -Wno-stringop-overread)
  endif()
  set(name "precompiled_${arg_FLAGS}")
  set(headers ${_vyre_precompiled})
  set(libraries third_party_fmt_headers)
  if(arg_PROGRAM)
    string(APPEND name "_program")
  endif()
  foreach(option IN LISTS arg_OPTIONS)
    string(APPEND name "${option}")
  endforeach()
  foreach(library IN LISTS arg_LIBS)
    if(DEFINED _vyre_precompiled_${library})
      string(REGEX REPLACE "^.*[:_]" "" suffix "${library}")
      string(APPEND name "_${suffix}")
      list(APPEND headers ${_vyre_precompiled_${library}})
      list(APPEND libraries ${library})
    endif()
  endforeach()
  if(NOT TARGET ${name})
    set(source "${PROJECT_BINARY_DIR}/precompiled/${name}.cc")
    file(CONFIGURE OUTPUT "${source}" CONTENT "")
    add_library(${name} OBJECT EXCLUDE_FROM_ALL "${source}")
    if(NOT arg_PROGRAM)
      vyre_goes_into_shared_libraries(${name})
    endif()
    target_compile_options(${name} PRIVATE ${arg_OPTIONS})
    target_link_libraries(${name} PRIVATE ${arg_FLAGS} ${libraries})
    target_precompile_headers(${name} PRIVATE ${headers})
  endif()
  target_precompile_headers(${target} REUSE_FROM ${name})
endfunction()

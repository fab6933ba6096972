# Libraries that are not ours, as the packages of the distribution give them. Nothing of them has to
# be there at run time: they are used as headers, or linked statically.

find_package(Threads REQUIRED)

# vyre_header_library(<target> <header> <debian package> [definitions...])
function(vyre_header_library target header package)
  find_path(${target}_INCLUDE_DIR "${header}")
  mark_as_advanced(${target}_INCLUDE_DIR)
  if(NOT ${target}_INCLUDE_DIR)
    message(FATAL_ERROR "<${header}> was not found; install ${package} (or run `make install-deps`).")
  endif()
  add_library(${target} INTERFACE)
  target_include_directories(${target} SYSTEM INTERFACE "${${target}_INCLUDE_DIR}")
  target_compile_definitions(${target} INTERFACE ${ARGN})
endfunction()

vyre_header_library(third_party_fmt_headers fmt/format.h libfmt-dev)
add_library(third_party_fmt STATIC "${PROJECT_SOURCE_DIR}/cmake/third_party/fmt.cc")
target_link_libraries(third_party_fmt PUBLIC third_party_fmt_headers PRIVATE vyre_flags)
vyre_goes_into_shared_libraries(third_party_fmt)
set_property(GLOBAL APPEND PROPERTY VYRE_BUNDLED_LIBRARIES third_party_fmt)

vyre_header_library(third_party_spdlog spdlog/spdlog.h libspdlog-dev SPDLOG_FMT_EXTERNAL)
vyre_header_library(third_party_cli11 CLI/CLI.hpp libcli11-dev)
vyre_header_library(third_party_json nlohmann/json.hpp nlohmann-json3-dev)

if(VYRE_TESTS)
  find_package(GTest REQUIRED)
endif()
if(VYRE_BENCHES)
  find_package(benchmark REQUIRED)
endif()

# Quietly: LLVM's own package file looks for parts of LLVM that are not used here.
set(CMAKE_MESSAGE_LOG_LEVEL WARNING)
find_package(LLVM 19.1 CONFIG REQUIRED)
unset(CMAKE_MESSAGE_LOG_LEVEL)

# LLVM's package names shared libraries of its dependencies. What we link carries them instead, and
# leaves out those of the parts that are not used here (Z3).
function(vyre_link_llvm_dependencies_statically)
  set(archives)
  foreach(name z zstd)
    find_library(VYRE_STATIC_${name} "lib${name}.a" REQUIRED)
    mark_as_advanced(VYRE_STATIC_${name})
    list(APPEND archives "${VYRE_STATIC_${name}}")
  endforeach()
  set_target_properties(LLVMSupport PROPERTIES
    INTERFACE_LINK_LIBRARIES "LLVMDemangle;${archives};rt;dl;m")
endfunction()
vyre_link_llvm_dependencies_statically()

vyre_header_library(third_party_zlib zlib.h zlib1g-dev)
target_link_libraries(third_party_zlib INTERFACE "${VYRE_STATIC_z}")

vyre_header_library(third_party_png png.h libpng-dev)
find_library(VYRE_STATIC_png "libpng.a" REQUIRED)
mark_as_advanced(VYRE_STATIC_png)

# Debian compiles libpng.a for programs: the way it addresses `stderr` cannot be linked into a shared
# library. Ours link a copy that uses vyre_png_stderr (data/image/image_png.cc) instead.
function(vyre_copy_png out)
  set(copy "${PROJECT_BINARY_DIR}/libpng.a")
  execute_process(
    COMMAND "${CMAKE_OBJCOPY}" --redefine-sym stderr=vyre_png_stderr "${VYRE_STATIC_png}" "${copy}"
    RESULT_VARIABLE status)
  if(NOT status EQUAL 0)
    message(FATAL_ERROR "objcopy cannot copy ${VYRE_STATIC_png}; install binutils.")
  endif()
  set(${out} "${copy}" PARENT_SCOPE)
endfunction()
vyre_copy_png(png)
target_link_libraries(third_party_png INTERFACE "${png}" "${VYRE_STATIC_z}" m)

# BLAKE3 is a handful of self-contained objects inside LLVM's support library. They are taken out
# of the archive, so that a program that only hashes does not link (or need) the rest of LLVM.
add_library(third_party_blake3 INTERFACE)
target_include_directories(third_party_blake3 SYSTEM INTERFACE ${LLVM_INCLUDE_DIRS})

function(vyre_extract_blake3 out_objects)
  get_target_property(archive LLVMSupport LOCATION)
  execute_process(COMMAND "${CMAKE_AR}" t "${archive}"
    OUTPUT_VARIABLE members RESULT_VARIABLE status)
  string(REGEX MATCHALL "blake3[^\n]*\\.o" members "${members}")
  if(NOT status EQUAL 0 OR NOT members)
    message(FATAL_ERROR "no BLAKE3 objects in ${archive}; install llvm-19-dev 19.1 or newer.")
  endif()
  set(folder "${PROJECT_BINARY_DIR}/blake3")
  set(objects ${members})
  list(TRANSFORM objects PREPEND "${folder}/")
  set(wanted "${archive};${objects}")
  get_property(seen CACHE VYRE_BLAKE3_EXTRACTED PROPERTY VALUE)
  if(NOT seen STREQUAL wanted OR NOT EXISTS "${folder}")
    file(REMOVE_RECURSE "${folder}")
    file(MAKE_DIRECTORY "${folder}")
    execute_process(COMMAND "${CMAKE_AR}" x "${archive}" ${members}
      WORKING_DIRECTORY "${folder}" COMMAND_ERROR_IS_FATAL ANY)
    set(VYRE_BLAKE3_EXTRACTED "${wanted}" CACHE INTERNAL "what the folder blake3 holds")
  endif()
  set(${out_objects} ${objects} PARENT_SCOPE)
endfunction()

vyre_extract_blake3(VYRE_BLAKE3_OBJECTS)

# Code generation: LLVM's own static libraries, for the rooms marked LLVM.
add_library(third_party_llvm INTERFACE)
target_include_directories(third_party_llvm SYSTEM INTERFACE ${LLVM_INCLUDE_DIRS})
# Built like LLVM itself. Where memory runs out, an exception ends a compilation, and nothing is
# cleaned up on its way: objects that LLVM left half changed must not be touched again.
target_compile_options(third_party_llvm INTERFACE -fno-exceptions)
# LLVM has no type information. Sanitizers want that of our own classes, and must not ask for LLVM's.
if(VYRE_SANITIZE)
  target_compile_options(third_party_llvm INTERFACE -fno-sanitize=vptr)
else()
  target_compile_options(third_party_llvm INTERFACE -fno-rtti)
endif()
if(VYRE_SANITIZE MATCHES "address")
  target_compile_options(third_party_llvm INTERFACE
    "SHELL:-include ${PROJECT_SOURCE_DIR}/cmake/third_party/llvm_unpoisoned.h")
endif()
llvm_map_components_to_libnames(VYRE_LLVM_LIBRARIES x86codegen nvptxcodegen jitlink passes)
target_link_libraries(third_party_llvm INTERFACE ${VYRE_LLVM_LIBRARIES})

# Rooms: one folder under src/ is one room is one CMake target.
#
#   vyre_room(<name> [DEPENDS <rooms>...] [LIBS <targets>...] [OBJECTS <files>...]
#             [DOOR <headers>...] [EXECUTABLE <program>] [LLVM])
#
# declares the room of the current folder. Rooms may be declared in any order;
# vyre_finish_rooms() checks that every named room exists and that there is no cycle, and then
# makes the targets. What a room consists of is found in its folder:
#
#   *.cc                    the library vyre_<name>
#   *_test.cc               the GoogleTest program <name>_test, one ctest entry
#   *_testing.{h,cc}        support for tests, linked to the tests of this room and of those above
#   fuzz/*_fuzz.cc          libFuzzer programs, with VYRE_FUZZ; seeds in fuzz/seeds/<program>/
#   main.cc                 with EXECUTABLE: the program; the room stays out of the installed library
#
# A room that names another one and includes none of its headers is an error, unless the other one has
# no headers yet. A room sees the rooms it names, and what those name in turn, and nothing else: its only project
# include path is a view, a folder of links made for it in the build tree. A room without sources
# yet is fine.
#
# LIBS are third-party targets, private to the room and its tests. OBJECTS are ready-made object
# files that become part of the library. DOOR are the headers to install; without it all are, but
# those of tests and *_internal.h. LLVM marks a room that needs LLVM's libraries, or a room
# that does: it is installed as a library of its own.

include_guard(GLOBAL)
include("${CMAKE_CURRENT_LIST_DIR}/VyrePrecompile.cmake")

# Static libraries that also become part of a shared one, which shows none of their symbols. Hidden
# symbols cost nothing: no call goes through a table.
function(vyre_goes_into_shared_libraries target)
  set_target_properties(${target} PROPERTIES
    POSITION_INDEPENDENT_CODE ON CXX_VISIBILITY_PRESET hidden VISIBILITY_INLINES_HIDDEN ON)
endfunction()

function(vyre_room name)
  cmake_parse_arguments(PARSE_ARGV 1 arg "LLVM" "EXECUTABLE" "DEPENDS;LIBS;OBJECTS;DOOR")
  if(arg_UNPARSED_ARGUMENTS)
    message(FATAL_ERROR "vyre_room(${name}): unknown arguments: ${arg_UNPARSED_ARGUMENTS}")
  endif()
  get_property(rooms GLOBAL PROPERTY VYRE_ROOMS)
  if(name IN_LIST rooms)
    message(FATAL_ERROR "vyre_room(${name}): this room is declared twice")
  endif()
  set_property(GLOBAL APPEND PROPERTY VYRE_ROOMS ${name})
  foreach(key DEPENDS LIBS OBJECTS DOOR EXECUTABLE LLVM)
    set_property(GLOBAL PROPERTY VYRE_ROOM_${name}_${key} "${arg_${key}}")
  endforeach()
  set_property(GLOBAL PROPERTY VYRE_ROOM_${name}_FOLDER "${CMAKE_CURRENT_SOURCE_DIR}")
endfunction()

# Depth-first; behind the name come the rooms on the way here. Fails on unknown rooms and cycles,
# appends rooms to VYRE_ROOM_ORDER behind what they depend on, and sets VYRE_ROOM_<name>_VISIBLE to
# all that a room sees, itself included.
function(_vyre_visit_room name)
  set(path ${ARGN})
  if(name IN_LIST path)
    string(REPLACE ";" " -> " shown "${path};${name}")
    message(FATAL_ERROR "rooms depend on each other in a cycle: ${shown}")
  endif()
  get_property(order GLOBAL PROPERTY VYRE_ROOM_ORDER)
  if(name IN_LIST order)
    return()
  endif()
  get_property(rooms GLOBAL PROPERTY VYRE_ROOMS)
  get_property(depends GLOBAL PROPERTY VYRE_ROOM_${name}_DEPENDS)
  set(visible ${name})
  foreach(other IN LISTS depends)
    if(NOT other IN_LIST rooms)
      string(REPLACE ";" ", " known "${rooms}")
      message(FATAL_ERROR "room ${name} names an unknown room: ${other} (there are: ${known})")
    endif()
    _vyre_visit_room(${other} ${path} ${name})
    get_property(seen GLOBAL PROPERTY VYRE_ROOM_${other}_VISIBLE)
    list(APPEND visible ${seen})
  endforeach()
  list(REMOVE_DUPLICATES visible)
  set_property(GLOBAL PROPERTY VYRE_ROOM_${name}_VISIBLE "${visible}")
  set_property(GLOBAL APPEND PROPERTY VYRE_ROOM_ORDER ${name})
endfunction()

# Makes views/<name>/vyre/<room> -> the room's folder, for exactly the rooms given.
function(vyre_make_view name out_folder)
  set(view "${PROJECT_BINARY_DIR}/views/${name}")
  file(GLOB existing LIST_DIRECTORIES true RELATIVE "${view}/vyre" "${view}/vyre/*")
  foreach(stale IN LISTS existing)
    if(NOT stale IN_LIST ARGN)
      file(REMOVE "${view}/vyre/${stale}")
    endif()
  endforeach()
  file(MAKE_DIRECTORY "${view}/vyre")
  foreach(room IN LISTS ARGN)
    get_property(folder GLOBAL PROPERTY VYRE_ROOM_${room}_FOLDER)
    file(CREATE_LINK "${folder}" "${view}/vyre/${room}" SYMBOLIC)
  endforeach()
  set(${out_folder} "${view}" PARENT_SCOPE)
endfunction()

# A program outside src/ (a suite under tests/, a benchmark): sees the rooms given and those below
# them, and links them. Without sources there is no program.
#
#   vyre_program(<name> SOURCES <files>... ROOMS <rooms>... [LIBS <targets>...])
function(vyre_program name)
  cmake_parse_arguments(PARSE_ARGV 1 arg "" "" "SOURCES;ROOMS;LIBS")
  if(NOT arg_SOURCES)
    return()
  endif()
  set(visible)
  foreach(room IN LISTS arg_ROOMS)
    get_property(seen GLOBAL PROPERTY VYRE_ROOM_${room}_VISIBLE)
    list(APPEND visible ${seen})
  endforeach()
  list(REMOVE_DUPLICATES visible)
  vyre_make_view(${name} view ${visible})
  add_executable(${name} ${arg_SOURCES})
  target_include_directories(${name} PRIVATE "${view}" "${CMAKE_CURRENT_SOURCE_DIR}")
  target_compile_definitions(${name} PRIVATE "VYRE_ROOT_DIR=\"${PROJECT_SOURCE_DIR}\"")
  list(TRANSFORM arg_ROOMS PREPEND vyre_ OUTPUT_VARIABLE libraries)
  set(flags vyre_flags)
  if(CMAKE_CURRENT_SOURCE_DIR MATCHES "^${PROJECT_SOURCE_DIR}/tests")
    set(flags vyre_suite_flags)
  endif()
  target_link_libraries(${name} PRIVATE ${flags} ${libraries} third_party_fmt ${arg_LIBS})
  # A benchmark brings flags of what it compares us with (OpenMP), which a precompiled header minds.
  if(flags STREQUAL "vyre_suite_flags")
    vyre_precompile(${name} FLAGS ${flags} PROGRAM LIBS ${arg_LIBS})
  endif()
endfunction()

# Fails where a room names one that none of its files includes.
function(_vyre_check_edges name)
  get_property(depends GLOBAL PROPERTY VYRE_ROOM_${name}_DEPENDS)
  get_property(folder GLOBAL PROPERTY VYRE_ROOM_${name}_FOLDER)
  file(GLOB_RECURSE files "${folder}/*.cc" "${folder}/*.h")
  if(NOT files)
    return()
  endif()
  set(included)
  foreach(file IN LISTS files)
    file(STRINGS "${file}" lines REGEX "^#include \"vyre/")
    list(APPEND included ${lines})
  endforeach()
  foreach(other IN LISTS depends)
    get_property(other_folder GLOBAL PROPERTY VYRE_ROOM_${other}_FOLDER)
    file(GLOB_RECURSE headers "${other_folder}/*.h")
    if(headers AND NOT included MATCHES "#include \"vyre/${other}/")
      message(SEND_ERROR "room ${name} names ${other}, and includes none of its headers")
    endif()
  endforeach()
endfunction()

function(_vyre_make_room name)
  foreach(key DEPENDS LIBS OBJECTS EXECUTABLE LLVM FOLDER VISIBLE)
    get_property(${key} GLOBAL PROPERTY VYRE_ROOM_${name}_${key})
  endforeach()
  list(TRANSFORM DEPENDS PREPEND vyre_ OUTPUT_VARIABLE depend_targets)
  vyre_make_view(${name} view ${VISIBLE})

  file(GLOB_RECURSE sources CONFIGURE_DEPENDS "${FOLDER}/*.cc")
  list(FILTER sources EXCLUDE REGEX "/fuzz/")
  set(tests ${sources})
  list(FILTER tests INCLUDE REGEX "_test\\.cc$")
  set(testing ${sources})
  list(FILTER testing INCLUDE REGEX "_testing\\.cc$")
  list(FILTER sources EXCLUDE REGEX "_(test|testing)\\.cc$")
  if(EXECUTABLE)
    list(REMOVE_ITEM sources "${FOLDER}/main.cc")
  endif()

  set(library vyre_${name})
  if(sources)
    add_library(${library} STATIC ${sources} ${OBJECTS})
    vyre_goes_into_shared_libraries(${library})
    target_include_directories(${library} PRIVATE "${view}")
    target_link_libraries(${library}
      PUBLIC ${depend_targets} Threads::Threads
      PRIVATE vyre_flags third_party_fmt ${LIBS})
    set(options)
    if(name IN_LIST VYRE_UNOPTIMISED_ROOMS)
      set(options -O0)
    endif()
    target_compile_options(${library} PRIVATE ${options})
    vyre_precompile(${library} FLAGS vyre_flags OPTIONS ${options} LIBS ${LIBS})
    if(LLVM AND NOT EXECUTABLE)
      set_property(GLOBAL APPEND PROPERTY VYRE_BUNDLED_LLVM_LIBRARIES ${library})
    elseif(NOT EXECUTABLE)
      set_property(GLOBAL APPEND PROPERTY VYRE_BUNDLED_LIBRARIES ${library})
      set_property(GLOBAL APPEND PROPERTY VYRE_BUNDLED_OBJECTS ${OBJECTS})
    endif()
  else()
    add_library(${library} INTERFACE)
    target_link_libraries(${library} INTERFACE ${depend_targets})
  endif()

  if(EXECUTABLE AND EXISTS "${FOLDER}/main.cc")
    add_executable(${EXECUTABLE} "${FOLDER}/main.cc")
    target_include_directories(${EXECUTABLE} PRIVATE "${view}")
    target_link_libraries(${EXECUTABLE} PRIVATE vyre_flags ${library} third_party_fmt ${LIBS})
    if(NOT VYRE_SANITIZE)
      # A fixed address spares 100,000 relocations at every start, more than half a millisecond.
      target_link_options(${EXECUTABLE} PRIVATE
        -static-libstdc++ -static-libgcc -no-pie -Wl,--gc-sections)
    endif()
    install(TARGETS ${EXECUTABLE} RUNTIME)
    set_property(GLOBAL APPEND PROPERTY VYRE_INSTALLED_PROGRAMS ${EXECUTABLE})
  endif()

  if(VYRE_TESTS)
    _vyre_make_room_tests()
  endif()
  if(VYRE_FUZZ)
    _vyre_make_room_fuzzers()
  endif()
endfunction()

# In _vyre_make_room's scope.
macro(_vyre_make_room_tests)
  set(support vyre_${name}_testing)
  list(TRANSFORM depend_targets APPEND _testing OUTPUT_VARIABLE depend_support)
  if(testing)
    add_library(${support} STATIC ${testing})
    target_include_directories(${support} PRIVATE "${view}")
    target_link_libraries(${support} PUBLIC ${library} ${depend_support}
      PRIVATE vyre_test_flags third_party_fmt ${LIBS} GTest::gtest)
  else()
    add_library(${support} INTERFACE)
    target_link_libraries(${support} INTERFACE ${depend_support})
  endif()
  if(tests)
    add_executable(${name}_test ${tests})
    target_include_directories(${name}_test PRIVATE "${view}")
    # Where tests find golden files (their own room) and examples (the project).
    target_compile_definitions(${name}_test PRIVATE
      "VYRE_ROOM_DIR=\"${FOLDER}\"" "VYRE_ROOT_DIR=\"${PROJECT_SOURCE_DIR}\"")
    target_link_libraries(${name}_test PRIVATE
      vyre_test_flags ${support} ${library} third_party_fmt ${LIBS}
      GTest::gtest GTest::gtest_main)
    vyre_precompile(${name}_test FLAGS vyre_test_flags PROGRAM LIBS ${LIBS} GTest::gtest)
    # A test program runs on any host, e.g. one that has a GPU and no compiler.
    if(NOT VYRE_SANITIZE)
      target_link_options(${name}_test PRIVATE -static-libstdc++ -static-libgcc)
    endif()
    add_test(NAME ${name} COMMAND ${name}_test --gtest_brief=1 WORKING_DIRECTORY "${FOLDER}")
    set_tests_properties(${name} PROPERTIES TIMEOUT 1800 LABELS room)
    if(EXECUTABLE AND TARGET ${EXECUTABLE})
      # Tests may run the program itself.
      target_compile_definitions(${name}_test PRIVATE
        "VYRE_PROGRAM=\"$<TARGET_FILE:${EXECUTABLE}>\"")
      add_dependencies(${name}_test ${EXECUTABLE})
    endif()
  endif()
endmacro()

macro(_vyre_make_room_fuzzers)
  file(GLOB fuzzers CONFIGURE_DEPENDS "${FOLDER}/fuzz/*_fuzz.cc")
  foreach(source IN LISTS fuzzers)
    get_filename_component(fuzzer "${source}" NAME_WE)
    add_executable(${fuzzer} "${source}")
    target_include_directories(${fuzzer} PRIVATE "${view}")
    target_link_libraries(${fuzzer} PRIVATE vyre_flags ${library} third_party_fmt ${LIBS})
    target_link_options(${fuzzer} PRIVATE -fsanitize=fuzzer)
    set_target_properties(${fuzzer} PROPERTIES
      RUNTIME_OUTPUT_DIRECTORY "${PROJECT_BINARY_DIR}/fuzz")
  endforeach()
endmacro()

function(vyre_finish_rooms)
  get_property(rooms GLOBAL PROPERTY VYRE_ROOMS)
  foreach(name IN LISTS rooms)
    _vyre_visit_room(${name})
  endforeach()
  get_property(order GLOBAL PROPERTY VYRE_ROOM_ORDER)
  foreach(name IN LISTS order)
    _vyre_check_edges(${name})
    _vyre_make_room(${name})
  endforeach()
endfunction()

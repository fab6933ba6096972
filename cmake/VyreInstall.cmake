# What gets installed, in three parts, with a CMake package and pkg-config files:
#
#   vyre::vyre    libvyre_core.a: all rooms without LLVM. It carries BLAKE3 and fmt, so that a
#                 consumer needs nothing but a C++23 compiler.
#   vyre::engine  libvyre_engine.a: code generation and what stands on it, for those who ask for
#                 the component `engine`. It links LLVM's static libraries, which must be there.
#   vyre::c       libvyre.so: the C ABI, for those who ask for the component `c`. It carries all it
#                 is made of, LLVM and the C++ library included, and shows none of it.

include(CMakePackageConfigHelpers)

# vyre_bundle(<target> <output name> <export name> <export set> OBJECTS_OF <libraries> FILES <objects>)
function(vyre_bundle target output export set)
  cmake_parse_arguments(PARSE_ARGV 4 arg "" "" "OBJECTS_OF;FILES")
  list(TRANSFORM arg_OBJECTS_OF REPLACE "(.+)" "$<TARGET_OBJECTS:\\1>")
  add_library(${target} STATIC ${arg_OBJECTS_OF} ${arg_FILES})
  add_library(vyre::${export} ALIAS ${target})
  set_target_properties(${target} PROPERTIES
    LINKER_LANGUAGE CXX OUTPUT_NAME ${output} EXPORT_NAME ${export}
    ARCHIVE_OUTPUT_DIRECTORY "${PROJECT_BINARY_DIR}/lib/bundle")
  install(TARGETS ${target} EXPORT ${set} ARCHIVE DESTINATION "${CMAKE_INSTALL_LIBDIR}")
endfunction()

# The libraries of LLVM that these need, themselves included.
function(vyre_llvm_closure out)
  set(seen)
  set(left ${ARGN})
  while(left)
    list(POP_FRONT left name)
    if(name MATCHES "^LLVM" AND NOT name IN_LIST seen)
      list(APPEND seen ${name})
      get_target_property(more ${name} INTERFACE_LINK_LIBRARIES)
      if(more)
        list(APPEND left ${more})
      endif()
    endif()
  endwhile()
  set(${out} ${seen} PARENT_SCOPE)
endfunction()

get_property(rooms GLOBAL PROPERTY VYRE_ROOM_ORDER)
set(installed_rooms)
foreach(room IN LISTS rooms)
  get_property(program GLOBAL PROPERTY VYRE_ROOM_${room}_EXECUTABLE)
  if(NOT program)
    list(APPEND installed_rooms ${room})
  endif()
endforeach()
vyre_make_view(vyre_library view ${installed_rooms})

get_property(libraries GLOBAL PROPERTY VYRE_BUNDLED_LIBRARIES)
get_property(objects GLOBAL PROPERTY VYRE_BUNDLED_OBJECTS)
vyre_bundle(vyre_library vyre_core vyre vyreTargets OBJECTS_OF ${libraries} FILES ${objects})
target_compile_features(vyre_library INTERFACE cxx_std_23)
target_include_directories(vyre_library INTERFACE
  "$<BUILD_INTERFACE:${view}>"
  "$<BUILD_INTERFACE:${PROJECT_SOURCE_DIR}/include>"
  "$<INSTALL_INTERFACE:${CMAKE_INSTALL_INCLUDEDIR}>")
target_link_libraries(vyre_library INTERFACE Threads::Threads png z m)

get_property(engine_libraries GLOBAL PROPERTY VYRE_BUNDLED_LLVM_LIBRARIES)
list(REMOVE_ITEM engine_libraries vyre_c)
vyre_bundle(vyre_engine_library vyre_engine engine vyreEngineTargets
  OBJECTS_OF ${engine_libraries})
target_link_libraries(vyre_engine_library INTERFACE vyre_library ${VYRE_LLVM_LIBRARIES})

set(symbols "${PROJECT_SOURCE_DIR}/cmake/libvyre.map")
add_library(vyre_shared SHARED $<TARGET_OBJECTS:vyre_c>)
add_library(vyre::c ALIAS vyre_shared)
set_target_properties(vyre_shared PROPERTIES
  LINKER_LANGUAGE CXX OUTPUT_NAME vyre EXPORT_NAME c
  VERSION ${PROJECT_VERSION} SOVERSION ${PROJECT_VERSION_MAJOR}
  LIBRARY_OUTPUT_DIRECTORY "${PROJECT_BINARY_DIR}/lib" LINK_DEPENDS "${symbols}")
target_include_directories(vyre_shared INTERFACE
  "$<BUILD_INTERFACE:${PROJECT_SOURCE_DIR}/include>"
  "$<INSTALL_INTERFACE:${CMAKE_INSTALL_INCLUDEDIR}>")
target_link_libraries(vyre_shared PRIVATE vyre_frontier third_party_fmt)
# It stays once it was loaded: its threads may not have ended when somebody unloads it.
target_link_options(vyre_shared PRIVATE
  "LINKER:--version-script=${symbols}" LINKER:-Bsymbolic LINKER:-z,nodelete
  LINKER:-z,pack-relative-relocs LINKER:--gc-sections LINKER:--as-needed
  $<$<CONFIG:Release>:LINKER:--strip-all>)
# A sanitizer's functions, and its C++ library, are those of the program.
if(VYRE_SANITIZE)
  target_link_libraries(vyre_shared PRIVATE vyre_flags)
else()
  target_link_options(vyre_shared PRIVATE -static-libstdc++ -static-libgcc LINKER:-z,defs)
endif()
install(TARGETS vyre_shared EXPORT vyreCTargets LIBRARY DESTINATION "${CMAKE_INSTALL_LIBDIR}")

# What the installation builds, and what takes it away again.
get_property(programs GLOBAL PROPERTY VYRE_INSTALLED_PROGRAMS)
add_custom_target(vyre_installed DEPENDS ${programs} vyre_library)
if(engine_libraries)
  add_dependencies(vyre_installed vyre_engine_library vyre_shared)
endif()
if(PROJECT_IS_TOP_LEVEL)
  add_custom_target(uninstall
    COMMAND "${CMAKE_COMMAND}" "-DMANIFEST=${CMAKE_BINARY_DIR}/install_manifest.txt"
      -P "${PROJECT_SOURCE_DIR}/cmake/uninstall.cmake" VERBATIM)
endif()

install(DIRECTORY "${PROJECT_SOURCE_DIR}/include/vyre" DESTINATION "${CMAKE_INSTALL_INCLUDEDIR}"
  FILES_MATCHING PATTERN "*.h")
foreach(room IN LISTS installed_rooms)
  get_property(folder GLOBAL PROPERTY VYRE_ROOM_${room}_FOLDER)
  file(GLOB_RECURSE headers CONFIGURE_DEPENDS RELATIVE "${folder}" "${folder}/*.h")
  list(FILTER headers EXCLUDE REGEX "(_testing|_internal)\\.h$|(^|/)fuzz/")
  get_property(door GLOBAL PROPERTY VYRE_ROOM_${room}_DOOR)
  if(door)
    set(headers ${door})
  endif()
  foreach(header IN LISTS headers)
    get_filename_component(below "${header}" DIRECTORY)
    install(FILES "${folder}/${header}"
      DESTINATION "${CMAKE_INSTALL_INCLUDEDIR}/vyre/${room}/${below}")
  endforeach()
endforeach()

set(package_folder "${CMAKE_INSTALL_LIBDIR}/cmake/vyre")
install(EXPORT vyreTargets NAMESPACE vyre:: DESTINATION "${package_folder}")
install(EXPORT vyreEngineTargets NAMESPACE vyre:: DESTINATION "${package_folder}")
install(EXPORT vyreCTargets NAMESPACE vyre:: DESTINATION "${package_folder}")
configure_package_config_file(cmake/vyreConfig.cmake.in "${PROJECT_BINARY_DIR}/vyreConfig.cmake"
  INSTALL_DESTINATION "${package_folder}")
write_basic_package_version_file("${PROJECT_BINARY_DIR}/vyreConfigVersion.cmake"
  COMPATIBILITY SameMinorVersion)
install(FILES "${PROJECT_BINARY_DIR}/vyreConfig.cmake" "${PROJECT_BINARY_DIR}/vyreConfigVersion.cmake"
  DESTINATION "${package_folder}")

# Found by its own place, so that an installation can be moved.
file(RELATIVE_PATH prefix_from_pc
  "/prefix/${CMAKE_INSTALL_LIBDIR}/pkgconfig" "/prefix")
vyre_llvm_closure(names ${VYRE_LLVM_LIBRARIES})
list(TRANSFORM names PREPEND "-l")
list(JOIN names " " llvm_flags)
foreach(name vyre vyre-engine vyre-c)
  configure_file(cmake/${name}.pc.in "${PROJECT_BINARY_DIR}/${name}.pc" @ONLY)
  install(FILES "${PROJECT_BINARY_DIR}/${name}.pc"
    DESTINATION "${CMAKE_INSTALL_LIBDIR}/pkgconfig")
endforeach()

# The installed library: one archive with the objects of all rooms (libvyre.a), the headers, a
# CMake package that gives vyre::vyre, and a pkg-config file. The archive carries BLAKE3, so that a
# consumer needs nothing but a C++23 compiler.

include(CMakePackageConfigHelpers)

get_property(rooms GLOBAL PROPERTY VYRE_ROOM_ORDER)
get_property(libraries GLOBAL PROPERTY VYRE_BUNDLED_LIBRARIES)
get_property(objects GLOBAL PROPERTY VYRE_BUNDLED_OBJECTS)
list(TRANSFORM libraries REPLACE "(.+)" "$<TARGET_OBJECTS:\\1>" OUTPUT_VARIABLE room_objects)

set(bundled_rooms)
foreach(room IN LISTS rooms)
  get_property(program GLOBAL PROPERTY VYRE_ROOM_${room}_EXECUTABLE)
  get_property(llvm GLOBAL PROPERTY VYRE_ROOM_${room}_LLVM)
  if(NOT program AND NOT llvm)
    list(APPEND bundled_rooms ${room})
  endif()
endforeach()
vyre_make_view(vyre_library view ${bundled_rooms})

add_library(vyre_library STATIC ${room_objects} ${objects})
add_library(vyre::vyre ALIAS vyre_library)
set_target_properties(vyre_library PROPERTIES
  LINKER_LANGUAGE CXX OUTPUT_NAME vyre EXPORT_NAME vyre)
target_compile_features(vyre_library INTERFACE cxx_std_23)
target_include_directories(vyre_library INTERFACE
  "$<BUILD_INTERFACE:${view}>"
  "$<BUILD_INTERFACE:${PROJECT_SOURCE_DIR}/include>"
  "$<INSTALL_INTERFACE:${CMAKE_INSTALL_INCLUDEDIR}>")
target_link_libraries(vyre_library INTERFACE Threads::Threads)

install(TARGETS vyre_library EXPORT vyreTargets ARCHIVE DESTINATION "${CMAKE_INSTALL_LIBDIR}")
install(DIRECTORY "${PROJECT_SOURCE_DIR}/include/vyre" DESTINATION "${CMAKE_INSTALL_INCLUDEDIR}"
  FILES_MATCHING PATTERN "*.h")
foreach(room IN LISTS bundled_rooms)
  get_property(folder GLOBAL PROPERTY VYRE_ROOM_${room}_FOLDER)
  file(GLOB_RECURSE headers CONFIGURE_DEPENDS RELATIVE "${folder}" "${folder}/*.h")
  list(FILTER headers EXCLUDE REGEX "(_testing|_internal)\\.h$|(^|/)fuzz/")
  foreach(header IN LISTS headers)
    get_filename_component(below "${header}" DIRECTORY)
    install(FILES "${folder}/${header}"
      DESTINATION "${CMAKE_INSTALL_INCLUDEDIR}/vyre/${room}/${below}")
  endforeach()
endforeach()

set(package_folder "${CMAKE_INSTALL_LIBDIR}/cmake/vyre")
install(EXPORT vyreTargets NAMESPACE vyre:: DESTINATION "${package_folder}")
configure_package_config_file(cmake/vyreConfig.cmake.in "${PROJECT_BINARY_DIR}/vyreConfig.cmake"
  INSTALL_DESTINATION "${package_folder}")
write_basic_package_version_file("${PROJECT_BINARY_DIR}/vyreConfigVersion.cmake"
  COMPATIBILITY SameMinorVersion)
install(FILES "${PROJECT_BINARY_DIR}/vyreConfig.cmake" "${PROJECT_BINARY_DIR}/vyreConfigVersion.cmake"
  DESTINATION "${package_folder}")

# Found by its own place, so that an installation can be moved.
file(RELATIVE_PATH prefix_from_pc
  "/prefix/${CMAKE_INSTALL_LIBDIR}/pkgconfig" "/prefix")
configure_file(cmake/vyre.pc.in "${PROJECT_BINARY_DIR}/vyre.pc" @ONLY)
install(FILES "${PROJECT_BINARY_DIR}/vyre.pc" DESTINATION "${CMAKE_INSTALL_LIBDIR}/pkgconfig")

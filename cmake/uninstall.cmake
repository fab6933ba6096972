# Removes what the latest `cmake --install` of a build folder installed: the files of its MANIFEST,
# and its folders include/vyre and cmake/vyre as far as they are empty then. DESTDIR has the meaning
# it has there.

cmake_minimum_required(VERSION 3.25)

if(NOT EXISTS "${MANIFEST}")
  message(FATAL_ERROR "nothing was installed from here: there is no ${MANIFEST}")
endif()
file(STRINGS "${MANIFEST}" files)
set(folders)
set(removed 0)
foreach(path IN LISTS files)
  set(path "$ENV{DESTDIR}${path}")
  if(EXISTS "${path}" OR IS_SYMLINK "${path}")
    file(REMOVE "${path}")
    if(EXISTS "${path}" OR IS_SYMLINK "${path}")
      message(FATAL_ERROR "${path} cannot be removed")
    endif()
    math(EXPR removed "${removed} + 1")
  endif()
  get_filename_component(folder "${path}" DIRECTORY)
  while(folder MATCHES "/(include|cmake)/vyre(/|$)")
    list(APPEND folders "${folder}")
    get_filename_component(folder "${folder}" DIRECTORY)
  endwhile()
endforeach()

# In descending order a folder comes after those inside it.
list(REMOVE_DUPLICATES folders)
list(SORT folders ORDER DESCENDING)
foreach(folder IN LISTS folders)
  if(IS_DIRECTORY "${folder}")
    execute_process(COMMAND rmdir --ignore-fail-on-non-empty "${folder}")
  endif()
endforeach()
file(REMOVE "${MANIFEST}")
message(STATUS "removed ${removed} files")

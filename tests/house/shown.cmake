# A page of the documentation shows the files of a folder, line for line.

cmake_minimum_required(VERSION 3.25)

file(READ "${PAGE}" page)
file(GLOB_RECURSE files "${FOLDER}/*")
foreach(path IN LISTS files)
  file(READ "${path}" text)
  string(FIND "${page}" "\n${text}```" at)
  if(at EQUAL -1)
    message(SEND_ERROR "${PAGE} does not show ${path} as it is")
  endif()
endforeach()
if(NOT files)
  message(SEND_ERROR "there are no files in ${FOLDER}")
endif()

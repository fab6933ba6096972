# What pages, examples and the command's own help name under examples/ is there. In the tour every
# kernel of a command is one of these, but for the one that is shown to be wrong.

cmake_minimum_required(VERSION 3.25)

set(named 0)
file(GLOB_RECURSE pages "${ROOT}/docs/*.md" "${ROOT}/README.md" "${ROOT}/examples/*.wgsl"
  "${ROOT}/src/cli/*.cc")
list(FILTER pages EXCLUDE REGEX "_test\\.cc$")
foreach(page IN LISTS pages)
  file(READ "${page}" text)
  string(REGEX REPLACE "wrote [^\n]*" "" text "${text}")  # what a command wrote
  string(REGEX MATCHALL "examples/[A-Za-z0-9_/]+\\.[a-z]+" files "${text}")
  string(REGEX MATCHALL "vyre (run|check|plan|tune|bench) [A-Za-z0-9_/]+\\.(wgsl|toml)" commands
    "${text}")
  list(TRANSFORM commands REPLACE "^vyre [a-z]+ " "")
  list(REMOVE_ITEM commands bad.wgsl)
  if(NOT page MATCHES "/tour\\.md$")
    set(commands)
  endif()
  foreach(file IN LISTS files commands)
    math(EXPR named "${named} + 1")
    if(NOT EXISTS "${ROOT}/${file}")
      message(SEND_ERROR "${page} names ${file}, which does not exist")
    endif()
  endforeach()
endforeach()
if(named LESS 10)
  message(SEND_ERROR "only ${named} files were found in the pages")
endif()

# Writes a header with the functions of vyre/c.h: kCalls has their names, and a program that
# includes it notes in `called` which of them it calls.
function(vyre_write_calls header out)
  set_property(DIRECTORY APPEND PROPERTY CMAKE_CONFIGURE_DEPENDS "${header}")
  file(READ "${header}" text)
  string(REGEX MATCHALL "VYRE_API [^;]*[ *]vyre_[a-z_]+\\(" declarations "${text}")
  set(names "")
  set(macros "")
  set(index 0)
  foreach(declaration IN LISTS declarations)
    string(REGEX REPLACE ".*[ *](vyre_[a-z_]+)\\($" "\\1" name "${declaration}")
    string(APPEND names "    \"${name}\",\n")
    string(APPEND macros "#define ${name} (called[${index}] = 1, ${name})\n")
    math(EXPR index "${index} + 1")
  endforeach()
  file(CONFIGURE OUTPUT "${out}" CONTENT
    "static const char* const kCalls[] = {\n${names}};\nstatic int called[${index}];\n${macros}")
endfunction()

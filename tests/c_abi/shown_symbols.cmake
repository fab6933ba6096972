# libvyre.so shows the functions of vyre/c.h and nothing else, needs nothing but the C library, and
# allocates nothing at its first use in a thread.

cmake_minimum_required(VERSION 3.25)

execute_process(COMMAND "${NM}" -D --defined-only --format=posix "${LIBRARY}"
  OUTPUT_VARIABLE listing COMMAND_ERROR_IS_FATAL ANY)
string(REGEX MATCHALL "[^\n]+" lines "${listing}")
set(shown)
foreach(line IN LISTS lines)
  string(REGEX REPLACE " .*" "" name "${line}")
  list(APPEND shown "${name}")
endforeach()

execute_process(COMMAND "${COMPILER}" -E -P "${HEADER}"
  OUTPUT_VARIABLE text COMMAND_ERROR_IS_FATAL ANY)
string(REGEX MATCHALL "vyre_[a-z_]+\\(" declared "${text}")
list(TRANSFORM declared REPLACE "\\($" "")
list(REMOVE_DUPLICATES declared)

set(missing ${declared})
list(REMOVE_ITEM missing ${shown})
set(extra ${shown})
list(REMOVE_ITEM extra ${declared})
if(missing OR extra OR NOT declared)
  message(SEND_ERROR "declared but not shown: ${missing}\nshown but not declared: ${extra}")
endif()

execute_process(COMMAND "${READELF}" -d "${LIBRARY}"
  OUTPUT_VARIABLE dynamic COMMAND_ERROR_IS_FATAL ANY)
string(REGEX MATCHALL "\\(NEEDED\\)[^\n]*" needed "${dynamic}")
foreach(line IN LISTS needed)
  if(NOT line MATCHES "\\[(libc\\.so\\.6|libm\\.so\\.6|ld-linux-x86-64\\.so\\.2)\\]")
    message(SEND_ERROR "it needs more than the C library: ${line}")
  endif()
endforeach()
# What a thread has of it is made with the thread. The C library ends a process in which there is no
# memory to make it later, or to register a destructor for it.
if(NOT dynamic MATCHES "STATIC_TLS")
  message(SEND_ERROR "its variables of a thread are not in the static block: no variable is "
    "a VYRE_STATIC_THREAD_LOCAL")
endif()
execute_process(COMMAND "${NM}" -D --undefined-only --format=posix "${LIBRARY}"
  OUTPUT_VARIABLE used COMMAND_ERROR_IS_FATAL ANY)
if(used MATCHES "__cxa_thread_atexit")
  message(SEND_ERROR "a thread_local variable has a destructor")
endif()

list(LENGTH shown count)
message(STATUS "${count} functions")

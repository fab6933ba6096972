# Says what is not supported, before anything else can fail for that reason.

if(NOT CMAKE_SYSTEM_NAME STREQUAL "Linux")
  message(FATAL_ERROR
    "vyre runs on Linux only so far: file locks, atomic file replacement and the CPU device are "
    "written for Linux, and this is ${CMAKE_SYSTEM_NAME}.")
endif()

if(NOT CMAKE_SYSTEM_PROCESSOR MATCHES "^(x86_64|AMD64|amd64)$")
  message(FATAL_ERROR
    "vyre runs on x86-64 only so far: code generation for the host is written for x86-64, and "
    "this is ${CMAKE_SYSTEM_PROCESSOR}.")
endif()

if(CMAKE_SIZEOF_VOID_P AND NOT CMAKE_SIZEOF_VOID_P EQUAL 8)
  message(FATAL_ERROR "vyre needs a 64-bit build; 32-bit x86 is not supported.")
endif()

if(CMAKE_CXX_COMPILER_ID STREQUAL "GNU" AND CMAKE_CXX_COMPILER_VERSION VERSION_LESS 12)
  message(FATAL_ERROR
    "vyre needs g++ 12 or newer (std::expected); this is g++ ${CMAKE_CXX_COMPILER_VERSION}.")
endif()

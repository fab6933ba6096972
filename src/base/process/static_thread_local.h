// Variables of a thread that libvyre.so can use where memory has run out.
//
// The memory of an ordinary thread_local variable of a library that dlopen loads is allocated at
// its first use in each thread, and the C library ends the process if that fails. One variable of
// this kind places all of the library's in the block that every thread is made with. It has no
// destructor, because registering one allocates memory in the same way.
#pragma once

#define VYRE_STATIC_THREAD_LOCAL [[gnu::tls_model("initial-exec")]] constinit thread_local

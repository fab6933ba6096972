/* Calls a function like main of a library that is opened at run time.
 *
 *   call_main LIBRARY FUNCTION [ARGUMENT...] */
#include <dlfcn.h>
#include <stdio.h>

int main(int count, char** arguments) {
  if (count < 3) return 2;
  void* library = dlopen(arguments[1], RTLD_NOW | RTLD_LOCAL);
  union {
    void* object;
    int (*call)(int, char**);
  } function = {library == NULL ? NULL : dlsym(library, arguments[2])};
  if (function.object == NULL) {
    printf("%s\n", dlerror());
    return 1;
  }
  return function.call(count - 2, arguments + 2);
}

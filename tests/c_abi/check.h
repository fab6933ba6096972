/* Tests in plain C: CHECK counts what fails, and main returns checks_failed(). */
#ifndef CHECK_H
#define CHECK_H

#include <stdio.h>
#include <vyre/c.h>

static int check_failures = 0;

static void check_note(int holds, const char* what, int line) {
  if (holds) return;
  if (++check_failures > 20) return;
  printf("line %d: %s\n  last error: %s: %s\n", line, what, vyre_code_text(vyre_last_error()),
         vyre_last_error_text());
}

static int checks_failed(void) {
  if (check_failures != 0) printf("%d checks failed\n", check_failures);
  return check_failures != 0;
}

#define CHECK(condition) check_note((condition) != 0, #condition, __LINE__)
#define CHECK_CODE(call, code) check_note((call) == (code), #call " gives " #code, __LINE__)
#define CHECK_OK(call) CHECK_CODE(call, VYRE_OK)

#endif

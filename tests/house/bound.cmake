# What the tuner may lose is said in the same sentence wherever it is said.

cmake_minimum_required(VERSION 3.25)

set(sentence "By the tuner's own estimate, the time lost against a program without a tuner stays below \
2% of the time spent in the kernel plus a first allowance of 20 ms or 50 calls, whichever is less.")
foreach(page README.md docs/planning.md docs/tuning-your-own-kernels.md docs/reading-a-report.md
    include/vyre/c.h src/report/page/chart_regret.cc)
  file(READ "${ROOT}/${page}" text)
  # Marks of emphasis, comments and quotes stand between the words, and a page may begin after a colon.
  string(REPLACE "{:g}%" "2%" text "${text}")
  string(REGEX REPLACE "[*\"]" " " text "${text}")
  string(REGEX REPLACE "[ \t\r\n]+" " " text "${text}")
  string(REPLACE " ," "," text "${text}")
  string(TOLOWER "${text}" text)
  string(TOLOWER "${sentence}" wanted)
  string(FIND "${text}" "${wanted}" at)
  if(at EQUAL -1)
    message(SEND_ERROR "${page} does not say: ${sentence}")
  endif()
endforeach()

// What a GPU must show, in one program:
//
//   gpu_suite table [GoogleTest's options]   the cases of every device, bounds, accuracy
//   gpu_suite differential [...]             random programs against the interpreter
//   gpu_suite bench --peers FILE.cubin [--corpus 0|1] [--root FOLDER] [--device NAME] [--only NAME]
//             [--rounds N] [--json FILE]     kernels beside nvcc's
//
// The device is cuda:0 unless VYRE_TEST_DEVICES, or --device, says otherwise.
#include <gtest/gtest.h>

#include <cstdio>
#include <cstdlib>
#include <string_view>
#include <vector>

int bench_main(int argc, char** argv);
int differential_main(int argc, char** argv);

int main(int argc, char** argv) {
  const std::string_view what = argc > 1 ? argv[1] : "";
  std::vector<char*> rest{argv[0]};
  for (int i = 2; i < argc; ++i) rest.push_back(argv[i]);
  int count = static_cast<int>(rest.size());
  rest.push_back(nullptr);
  if (what == "bench") return bench_main(count, rest.data());
  if (what == "differential") return differential_main(count, rest.data());
  if (what == "table") {
    setenv("VYRE_TEST_DEVICES", "cuda:0", 0);
    testing::InitGoogleTest(&count, rest.data());
    return RUN_ALL_TESTS();
  }
  std::fputs("gpu_suite table | differential | bench\n", stderr);
  return 2;
}

#include "doors.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <signal.h>
#include <sys/wait.h>
#include <unistd.h>
#include <vyre/c.h>

#include <array>
#include <cstdio>
#include <cstdlib>

#include "vyre/base/files/files.h"
#include "vyre/base/files/other_user_testing.h"
#include "vyre/base/files/temporary_folder_testing.h"
#include "vyre/engine/pipeline/prepared_pipeline.h"
#include "vyre/engine/session.h"
#include "vyre/frontier/frontier.h"
#include "vyre/pipeline/pipeline_builder.h"
#include "vyre/wgsl/module.h"

namespace vyre {
namespace {

std::string text_for(int number) {
  return fmt::format(
      "@group(0) @binding(0) var<storage, read_write> out: array<u32>;\n"
      "@compute @workgroup_size(4) fn main(@builtin(global_invocation_id) id: vec3u) {{\n"
      "  out[id.x] = {}u;\n}}\n",
      number);
}

void set_variable(const char* name, const std::optional<std::string>& value) {
  if (value) {
    ::setenv(name, value->c_str(), 1);
  } else {
    ::unsetenv(name);
  }
}

int tell(std::uint32_t number) {
  std::printf("%u", number);
  std::fflush(stdout);
  return 0;
}

// Does not return where the command can be started.
int run_command(int number) {
  const std::string file = fmt::format("{}.wgsl", number);
  ::execl(VYRE_PROGRAM, "vyre", "run", file.c_str(), "--device", "cpu", "--size", "4", "--print",
          "out:1", "--json", nullptr);
  return 1;
}

// Of what the command printed.
std::string first_value(const std::string& json) {
  const std::string_view kName = "\"values\":";
  const auto at = json.find(kName);
  if (at == std::string::npos) return json;
  const auto begin = json.find_first_of("0123456789", at + kName.size());
  return json.substr(begin, json.find_first_not_of("0123456789", begin) - begin);
}

int run_session(int number) {
  auto options = SessionOptions::from_environment();
  if (!options) return 1;
  const auto session = Session::open("cpu", *std::move(options));
  if (!session) return 2;
  const ParsedModule parsed = parse_wgsl(text_for(number), "kernel.wgsl");
  const auto kernel = make_kernel(parsed.module->programs.front());
  auto buffer = session->buffer(16);
  if (!kernel || !buffer) return 3;
  const std::vector<Binding> bindings{{0, 0, *buffer}};
  const auto dispatch = session->prepare(*kernel, bindings, DispatchSize::extent({4, 1, 1}));
  if (!dispatch || !session->run(*dispatch)) return 4;
  std::uint32_t out = 0;
  if (!session->read(*buffer, 0, std::as_writable_bytes(std::span(&out, 1)))) return 5;
  return tell(out);
}

int run_c(int number, const vyre_session_options* options) {
  vyre_session session = 0;
  if (vyre_session_open("cpu", options, &session) != VYRE_OK) return 2;
  vyre_module module = 0;
  vyre_kernel kernel = 0;
  vyre_buffer buffer = 0;
  const std::string text = text_for(number);
  if (vyre_module_load(session, text.data(), text.size(), "kernel.wgsl", &module) != VYRE_OK ||
      vyre_kernel_create(module, "main", nullptr, 0, &kernel) != VYRE_OK ||
      vyre_buffer_create(session, 16, &buffer) != VYRE_OK) {
    return 3;
  }
  const vyre_binding binding{.group = 0, .binding = 0, .buffer = buffer, .offset = 0, .bytes = 16};
  const vyre_grid grid{.unit = VYRE_INVOCATIONS, .x = 4, .y = 1, .z = 1};
  std::uint32_t out = 0;
  if (vyre_run(kernel, &binding, 1, &grid, nullptr, 0) != VYRE_OK ||
      vyre_buffer_read(buffer, 0, &out, sizeof out) != VYRE_OK ||
      vyre_session_close(session) != VYRE_OK) {
    return 4;
  }
  return tell(out);
}

int run_c_with_options(int number) {
  vyre_session_options options{};
  options.struct_size = sizeof options;
  options.threads = 1;
  return run_c(number, &options);
}

// A stage of a pipeline, which is compiled as a part of it.
int run_pipeline(int number) {
  auto options = SessionOptions::from_environment();
  if (!options) return 1;
  const auto session = Session::open("cpu", *std::move(options));
  if (!session) return 2;
  PipelineBuilder builder("doors");
  const Dim n = builder.dim("n", 4);
  const auto out = builder.output("out", "array<u32>", {n});
  const auto wgsl = make_wgsl(text_for(number), "kernel.wgsl");
  if (!wgsl) return 3;
  builder.stage((*wgsl)["main"], {{"out", out}}, {n});
  auto pipeline = session->prepare(std::move(builder), {});
  if (!pipeline || !session->run(*pipeline)) return 4;
  std::array<std::uint32_t, 4> values{};
  if (!pipeline->read("out", values)) return 5;
  return tell(values[0]);
}

// The function that gives the number is one of the kernels of a graph program.
int run_graph(int number) {
  auto options = SessionOptions::from_environment();
  if (!options) return 1;
  const auto session = Session::open("cpu", *std::move(options));
  if (!session) return 2;
  const auto program = FrontierProgram::from_wgsl(fmt::format(
      "@group(0) @binding(0) var<storage, read_write> out: array<u32>;\n"
      "fn init(vertex: u32) {{ out[vertex] = {}u; }}\n"
      "fn visit(source: u32, edge: u32, vertex: u32, round: u32) -> bool {{ return false; }}\n",
      number));
  const std::array<std::uint32_t, 4> offsets{0, 1, 2, 2};
  const std::array<std::uint32_t, 2> columns{1, 2};
  const auto graph = Graph::from_csr(*session, offsets, columns);
  if (!program || !graph) return 3;
  const auto prepared = prepare(*session, *program, *graph, {});
  if (!prepared || !prepared->run({.first = {0}})) return 4;
  std::array<std::uint32_t, 3> out{};
  if (!session->read(*prepared->buffer("out"), 0, std::as_writable_bytes(std::span(out)))) return 5;
  return tell(out[2]);
}

Door door(std::string name, int (*work)(int)) {
  return {std::move(name), [work](const Place& place, int number) {
            const auto file = place.current / fmt::format("{}.wgsl", number);
            EXPECT_TRUE(replace_file(file, text_for(number)));
            Told told = in_process(place, [=] { return work(number); });
            told.number = first_value(told.number);
            return told;
          }};
}

}  // namespace

Told in_process(const Place& place, const std::function<int()>& work) {
  const TemporaryFolder scratch;
  const std::string out = scratch.path() / "out";
  const std::string err = scratch.path() / "err";
  std::fflush(stdout);
  const pid_t child = ::fork();
  if (child == 0) {
    if (std::freopen(out.c_str(), "w", stdout) == nullptr ||
        std::freopen(err.c_str(), "w", stderr) == nullptr) {
      ::_exit(120);
    }
    set_variable("XDG_CACHE_HOME", place.xdg_cache_home);
    set_variable("HOME", place.home);
    if (::chdir(place.current.c_str()) != 0) ::_exit(121);
    if (place.as_another_user && (::setresgid(kOtherUser, kOtherUser, kOtherUser) != 0 ||
                                  ::setresuid(kOtherUser, kOtherUser, kOtherUser) != 0)) {
      ::_exit(122);
    }
    ::setenv("VYRE_AUTOTUNER", "off", 1);  // one variant, so one file of code
    ::alarm(60);
    ::_exit(work());
  }
  int status = -1;
  ::waitpid(child, &status, 0);
  return {WIFEXITED(status) ? WEXITSTATUS(status) : -1, read_file(out).value_or(""),
          read_file(err).value_or("")};
}

const std::vector<Door>& doors() {
  static const std::vector<Door> all{
      door("command", run_command),
      door("session", run_session),
      door("pipeline", run_pipeline),
      door("graph", run_graph),
      door("c", [](int number) { return run_c(number, nullptr); }),
      door("c_with_options", run_c_with_options),
  };
  return all;
}

}  // namespace vyre

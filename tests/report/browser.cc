#include "browser.h"

#include <fcntl.h>
#include <spawn.h>
#include <sys/wait.h>
#include <unistd.h>

#include <chrono>
#include <csignal>
#include <cstdlib>
#include <sstream>
#include <thread>

#include "vyre/base/files/files.h"

namespace vyre {
namespace {

constexpr std::chrono::seconds kPatience{60};

// In a process group of its own, so that a browser that hangs ends with all its processes.
bool run(const std::vector<std::string>& command, const std::string& out, const std::string& err) {
  posix_spawn_file_actions_t files;
  posix_spawn_file_actions_init(&files);
  constexpr int kFlags = O_CREAT | O_TRUNC | O_WRONLY;
  posix_spawn_file_actions_addopen(&files, STDIN_FILENO, "/dev/null", O_RDONLY, 0);
  posix_spawn_file_actions_addopen(&files, STDOUT_FILENO, out.c_str(), kFlags, 0600);
  posix_spawn_file_actions_addopen(&files, STDERR_FILENO, err.c_str(), kFlags, 0600);
  posix_spawnattr_t attributes;
  posix_spawnattr_init(&attributes);
  posix_spawnattr_setflags(&attributes, POSIX_SPAWN_SETPGROUP);
  std::vector<std::string> copies = command;
  std::vector<char*> arguments;
  arguments.reserve(copies.size() + 1);
  for (std::string& argument : copies) arguments.push_back(argument.data());
  arguments.push_back(nullptr);
  pid_t pid = -1;
  const int failed =
      posix_spawn(&pid, arguments[0], &files, &attributes, arguments.data(), environ);
  posix_spawn_file_actions_destroy(&files);
  posix_spawnattr_destroy(&attributes);
  if (failed != 0) return false;
  const auto until = std::chrono::steady_clock::now() + kPatience;
  while (std::chrono::steady_clock::now() < until) {
    int status = 0;
    if (::waitpid(pid, &status, WNOHANG) == pid)
      return WIFEXITED(status) && WEXITSTATUS(status) == 0;
    std::this_thread::sleep_for(std::chrono::milliseconds(20));
  }
  ::kill(-pid, SIGKILL);
  ::waitpid(pid, nullptr, 0);
  return false;
}

// What stands behind `key` in a line, up to the quote that ends it.
std::string quoted_after(std::string_view line, std::string_view key) {
  const auto at = line.find(key);
  if (at == line.npos) return {};
  line.remove_prefix(at + key.size());
  return std::string(line.substr(0, line.find('"')));
}

// The log has a line an event. Requests of the browser itself, for its updates, have no origin.
std::vector<std::string> requests_in(const std::string& net_log) {
  std::vector<std::string> requests;
  std::istringstream lines(net_log);
  for (std::string line; std::getline(lines, line);) {
    const std::string initiator = quoted_after(line, "\"initiator\":\"");
    const std::string url = quoted_after(line, "\"url\":\"");
    if (!initiator.empty() && initiator != "not an origin" && !url.starts_with("file:"))
      requests.push_back(url);
  }
  return requests;
}

std::vector<std::string> console_in(const std::string& log) {
  std::vector<std::string> messages;
  std::istringstream lines(log);
  for (std::string line; std::getline(lines, line);)
    if (line.contains(":CONSOLE:") || line.contains(":CONSOLE(")) messages.push_back(line);
  return messages;
}

}  // namespace

std::optional<std::string> find_browser() {
  if (const char* given = std::getenv("VYRE_CHROMIUM"); given != nullptr && *given != '\0')
    return given;
  const char* path = std::getenv("PATH");
  std::istringstream folders(path == nullptr ? "" : path);
  for (std::string folder; std::getline(folders, folder, ':');)
    for (const char* name : {"chromium", "chromium-browser", "google-chrome"})
      if (std::string file = folder + "/" + name; ::access(file.c_str(), X_OK) == 0) return file;
  return std::nullopt;
}

Loaded load_page(const std::string& browser, const std::filesystem::path& page,
                 const std::filesystem::path& scratch, const std::vector<std::string>& options) {
  const std::string out = scratch / "document.html", err = scratch / "browser.log";
  const std::string net = scratch / "requests.json";
  // No sandbox, because it cannot be had as root or in many containers; the pages are our own.
  std::vector<std::string> command{browser,
                                   "--headless",
                                   "--no-sandbox",
                                   "--disable-gpu",
                                   "--disable-dev-shm-usage",
                                   "--disable-background-networking",
                                   "--disable-component-update",
                                   "--disable-extensions",
                                   "--disable-sync",
                                   "--no-first-run",
                                   "--host-resolver-rules=MAP * ~NOTFOUND",
                                   "--user-data-dir=" + (scratch / "profile").string(),
                                   "--enable-logging=stderr",
                                   "--log-net-log=" + net,
                                   "--window-size=1280,2000"};
  command.insert(command.end(), options.begin(), options.end());
  command.insert(command.end(), {"--dump-dom", "file://" + page.string()});
  Loaded loaded;
  loaded.finished = run(command, out, err);
  loaded.document = read_file(out).value_or("");
  loaded.log = read_file(err).value_or("");
  loaded.console = console_in(loaded.log);
  loaded.requests = requests_in(read_file(net).value_or(""));
  return loaded;
}

}  // namespace vyre

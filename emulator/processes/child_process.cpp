#include "emulator/processes/child_process.h"

#include <fcntl.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cerrno>
#include <csignal>
#include <cstring>
#include <thread>
#include <utility>

namespace troupe {
namespace {

std::string describe(int status) {
  if (WIFSIGNALED(status)) return "killed by signal " + std::to_string(WTERMSIG(status));
  return "exit code " + std::to_string(WEXITSTATUS(status));
}

// Between fork and exec: nothing but what a signal handler may call.
[[noreturn]] void become(const char* program, char* const* arguments, pid_t parent) {
  prctl(PR_SET_PDEATHSIG, SIGTERM);
  if (getppid() != parent) _exit(3);  // it died before we asked to be told
  dup2(STDERR_FILENO, STDOUT_FILENO);
  execv(program, arguments);
  _exit(127);
}

}  // namespace

Result<ChildProcess> ChildProcess::start(const std::filesystem::path& program,
                                         const std::vector<std::string>& arguments) {
  const std::string name = program.string();
  std::vector<char*> words = {const_cast<char*>(name.c_str())};
  for (const std::string& argument : arguments)
    words.push_back(const_cast<char*>(argument.c_str()));
  words.push_back(nullptr);
  const pid_t parent = getpid();
  const pid_t pid = fork();
  if (pid < 0) return fail(std::string("cannot start a process: ") + std::strerror(errno), name);
  if (pid == 0) become(name.c_str(), words.data(), parent);
  return ChildProcess(pid);
}

ChildProcess::ChildProcess(ChildProcess&& other) noexcept
    : pid_(std::exchange(other.pid_, 0)), ended_(std::move(other.ended_)) {}

ChildProcess& ChildProcess::operator=(ChildProcess&& other) noexcept {
  std::swap(pid_, other.pid_);
  std::swap(ended_, other.ended_);
  return *this;
}

ChildProcess::~ChildProcess() {
  if (pid_ != 0) end_within(std::chrono::milliseconds(0));
}

const std::optional<std::string>& ChildProcess::ended() {
  int status = 0;
  if (!ended_ && waitpid(pid_, &status, WNOHANG) == pid_) ended_ = describe(status);
  return ended_;
}

// One that has ended and was not waited for keeps its pid, so this can reach no other.
void ChildProcess::signal(int what) {
  if (!ended()) kill(pid_, what);
}

void ChildProcess::end_within(std::chrono::milliseconds patience) {
  const auto until = std::chrono::steady_clock::now() + patience;
  while (!ended() && std::chrono::steady_clock::now() < until) {
    std::this_thread::sleep_for(std::chrono::milliseconds(2));
  }
  if (ended()) return;
  kill(pid_, SIGKILL);
  int status = 0;
  if (waitpid(pid_, &status, 0) == pid_) ended_ = describe(status);
}

}  // namespace troupe

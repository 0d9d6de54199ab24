#include "tests/emulator/cli/program.h"

#include <array>
#include <cstdio>

#include <sys/wait.h>

namespace troupe::test {

Output shell(const std::string& command) {
  Output output;
  FILE* pipe = popen((command + " 2>&1").c_str(), "r");
  std::array<char, 4096> buffer{};
  while (std::fgets(buffer.data(), buffer.size(), pipe) != nullptr) output.text += buffer.data();
  const int status = pclose(pipe);
  output.exit_code = WIFEXITED(status) ? WEXITSTATUS(status) : 128 + WTERMSIG(status);
  return output;
}

Output troupe(const std::string& arguments) {
  return shell(std::string(TROUPE_PROGRAM) + " " + arguments);
}

}  // namespace troupe::test

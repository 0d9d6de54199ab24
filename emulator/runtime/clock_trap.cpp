#include "emulator/runtime/clock_trap.h"

#include <cstdio>
#include <cstdlib>
#include <ctime>

#include <sys/random.h>
#include <sys/syscall.h>
#include <sys/time.h>
#include <unistd.h>

namespace troupe {
namespace {

thread_local const std::string* handler_of = nullptr;

void check(const char* function) {
  if (handler_of == nullptr) return;
  std::fprintf(
      stderr,
      "troupe: actor %s called %s(): an actor reads no clock and no system randomness; use "
      "Context::now() and Context::random()\n",
      handler_of->c_str(), function);
  std::abort();
}

}  // namespace

ClockTrap::ClockTrap(const std::string& actor) {
  handler_of = &actor;
}
ClockTrap::~ClockTrap() {
  handler_of = nullptr;
}

}  // namespace troupe

// The C library's own symbols, taken over for the whole program. The kernel is asked by system
// call: the library's version is the one that stands here.
extern "C" {

int clock_gettime(clockid_t clock, struct timespec* result) noexcept {
  troupe::check("clock_gettime");
  return static_cast<int>(syscall(SYS_clock_gettime, clock, result));
}

int gettimeofday(struct timeval* __restrict result, void* __restrict) noexcept {
  troupe::check("gettimeofday");
  struct timespec now {};
  const int status = static_cast<int>(syscall(SYS_clock_gettime, CLOCK_REALTIME, &now));
  result->tv_sec = now.tv_sec;
  result->tv_usec = now.tv_nsec / 1000;
  return status;
}

time_t time(time_t* result) noexcept {
  troupe::check("time");
  struct timespec now {};
  syscall(SYS_clock_gettime, CLOCK_REALTIME, &now);
  if (result != nullptr) *result = now.tv_sec;
  return now.tv_sec;
}

ssize_t getrandom(void* buffer, size_t length, unsigned int flags) {
  troupe::check("getrandom");
  return syscall(SYS_getrandom, buffer, length, flags);
}
}

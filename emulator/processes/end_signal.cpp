#include "emulator/processes/end_signal.h"

#include <unistd.h>

#include <csignal>
#include <utility>

#include "emulator/processes/socket_folder.h"

namespace troupe {
namespace {

std::atomic<bool> stop_wanted{false};
static_assert(std::atomic<bool>::is_always_lock_free, "a signal handler sets it");

void want_stop(int signal) {
  stop_wanted = true;
  std::signal(signal, SIG_DFL);
}

sigset_t end_signals() {
  sigset_t set;
  sigemptyset(&set);
  sigaddset(&set, SIGTERM);
  sigaddset(&set, SIGUSR2);  // from our own destructor
  return set;
}

}  // namespace

const std::atomic<bool>& stop_on_signals() {
  std::signal(SIGINT, want_stop);
  std::signal(SIGTERM, want_stop);
  return stop_wanted;
}

WorkerSignals::WorkerSignals() {
  std::signal(SIGINT, SIG_IGN);
  const sigset_t set = end_signals();
  pthread_sigmask(SIG_BLOCK, &set, nullptr);
  waiter_ = std::thread([this] {
    const sigset_t awaited = end_signals();
    int signal = 0;
    if (sigwait(&awaited, &signal) != 0 || signal == SIGUSR2) return;
    const std::lock_guard lock(mutex_);
    if (!folder_.empty()) remove_socket_folder(folder_);
    _exit(3);
  });
}

WorkerSignals::~WorkerSignals() {
  pthread_kill(waiter_.native_handle(), SIGUSR2);
  waiter_.join();
}

void WorkerSignals::remove_at_end(std::filesystem::path folder) {
  const std::lock_guard lock(mutex_);
  folder_ = std::move(folder);
}

}  // namespace troupe

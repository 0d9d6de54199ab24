#include "emulator/transport/run_keys.h"

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <array>
#include <cerrno>
#include <cstring>
#include <fstream>
#include <sstream>

#include <zmq.h>

namespace troupe::transport {
namespace {

constexpr const char* kHead = "troupe keys 1";
constexpr std::size_t kZ85 = 41;  // with its terminating zero

// "public VALUE"
Result<std::string> value_of(std::istream& text, const std::string& name,
                             const std::filesystem::path& file) {
  std::string line;
  std::getline(text, line);
  const std::string prefix = name + " ";
  if (!line.starts_with(prefix) || line.size() != prefix.size() + kZ85 - 1) {
    return fail("is no key file: expected '" + name + "' and 40 characters", file.string());
  }
  return line.substr(prefix.size());
}

Result<void> check_mode(const std::filesystem::path& file) {
  struct stat status {};
  if (stat(file.c_str(), &status) != 0) {
    return fail(std::string("cannot be read: ") + std::strerror(errno), file.string());
  }
  // A group may read it: so a Kubernetes Secret is mounted for a user who is not root.
  if ((status.st_mode & (S_IRWXO | S_IWGRP)) != 0) {
    return fail("others may read or change it: chmod 600 it, or make new keys", file.string());
  }
  return {};
}

}  // namespace

Result<RunKeys> make_keys() {
  std::array<char, kZ85> public_half{};
  std::array<char, kZ85> secret_half{};
  if (zmq_curve_keypair(public_half.data(), secret_half.data()) != 0) {
    return fail(std::string("no keys can be made: ") + zmq_strerror(zmq_errno()));
  }
  return RunKeys{public_half.data(), secret_half.data()};
}

Result<void> write_keys(const RunKeys& keys, const std::filesystem::path& file) {
  const std::string text =
      std::string(kHead) + "\npublic " + keys.public_half + "\nsecret " + keys.secret_half + "\n";
  const int descriptor = open(file.c_str(), O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0600);
  if (descriptor < 0) {
    if (errno == EEXIST) return fail("is there already: remove it first", file.string());
    return fail(std::string("cannot be written: ") + std::strerror(errno), file.string());
  }
  const bool whole =
      write(descriptor, text.data(), text.size()) == static_cast<ssize_t>(text.size()) &&
      fsync(descriptor) == 0;
  const int error = errno;
  close(descriptor);
  if (whole) return {};
  unlink(file.c_str());
  return fail(std::string("could not be written whole: ") + std::strerror(error), file.string());
}

Result<RunKeys> read_keys(const std::filesystem::path& file) {
  if (const Result<void> mode = check_mode(file); !mode) return tl::unexpected(mode.error());
  std::ifstream text(file);
  std::string head;
  std::getline(text, head);
  if (head != kHead) {
    return fail(std::string("is no key file: expected '") + kHead + "' in its first line",
                file.string());
  }
  Result<std::string> public_half = value_of(text, "public", file);
  if (!public_half) return tl::unexpected(public_half.error());
  Result<std::string> secret_half = value_of(text, "secret", file);
  if (!secret_half) return tl::unexpected(secret_half.error());
  std::array<char, kZ85> derived{};
  if (zmq_curve_public(derived.data(), secret_half->c_str()) != 0 ||
      *public_half != derived.data()) {
    return fail("is damaged: its two keys do not belong together", file.string());
  }
  return RunKeys{*std::move(public_half), *std::move(secret_half)};
}

}  // namespace troupe::transport

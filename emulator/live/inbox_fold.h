// The digest of a live run: a fold over what its workers wrote, so that it can be had from the
// files alone, whoever died meanwhile, and a replay can be held against it.
#pragma once

#include <cstdint>
#include <map>
#include <utility>
#include <vector>

#include "emulator/runtime/digest.h"
#include "messages/inbox.pb.h"

namespace troupe::live {

class InboxFold {
 public:
  /// Records of one host come in their order.
  void add(const inbox::Record& record);
  /// The sum over all hosts: it needs no order among them.
  [[nodiscard]] Digest digest() const;
  [[nodiscard]] std::uint64_t delivered() const { return delivered_; }

 private:
  struct Life {
    Chain chain;
    std::string name;
  };
  std::map<std::uint64_t, std::uint32_t> epochs_;                  ///< the present one, by host
  std::map<std::pair<std::uint64_t, std::uint32_t>, Life> lives_;  ///< by host and epoch
  std::vector<std::uint64_t> words_;
  std::uint64_t delivered_ = 0;
};

}  // namespace troupe::live

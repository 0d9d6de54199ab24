// A replica's part in the election of its controller's leader.
//
// An elector with an API client of its own, as the originals have one: a controller that has spent
// its requests must not lose its lease for that. It hears what befalls the election as well.
#pragma once

#include <string>

#include "actors/api_client/leader_elector.h"
#include "messages/hosts.pb.h"

namespace troupe {

class Election {
 public:
  explicit Election(const hosts::LeaderElection& config) : config_(config) {}

  /// `started` and `stopped`: it leads from now on, or no longer.
  void start(Context& context, LeaderElector::Handler started, LeaderElector::Handler stopped);
  /// True if the delivery was of the election alone.
  bool receive(Context& context, const Delivery& delivery);
  [[nodiscard]] bool leading() const { return elector_ && elector_->leading(); }

 private:
  hosts::LeaderElection config_;
  ApiClient api_{{.api_servers = config_.api_servers(), .channel = kChannel}};
  std::optional<LeaderElector> elector_;

  static constexpr std::uint32_t kChannel = 7;  ///< a controller's own clients have lower ones
};

/// Who a process is in a Lease: another one at the same place is somebody else.
[[nodiscard]] std::string lease_identity(const Context& context);
/// The host of whoever a Lease names; empty if nobody.
[[nodiscard]] std::string host_of_identity(const std::string& identity);

}  // namespace troupe

// The images of a node and the pulls under way.
//
// By kubelet's default (serializeImagePulls: true) one image is pulled at a time, first come, first
// served. With parallel pulls they share the bandwidth evenly. Two pods that want the same image
// wait for one pull. Limits: layers are not shared between images, a pull never fails, and no image
// is garbage-collected.
#pragma once

#include <cstdint>
#include <deque>
#include <map>
#include <optional>
#include <set>
#include <string>
#include <vector>

#include "messages/hosts.pb.h"
#include "messages/sim_time.h"

namespace troupe::kubelet {

class ImageStore {
 public:
  explicit ImageStore(const hosts::NodeConfig& config);

  [[nodiscard]] bool present(const std::string& image) const { return present_.contains(image); }
  [[nodiscard]] const std::set<std::string>& images() const { return present_; }
  [[nodiscard]] std::int64_t bytes_of(const std::string& image) const;
  /// The image is there without a pull: the state that an emulation begins with.
  void add(const std::string& image) { present_.insert(image); }

  /// Begins or queues a pull, unless the image is present or on its way; one that takes no time is
  /// over at once.
  void pull(const std::string& image, SimTime now);
  /// When the next pull ends; nothing if none is under way.
  [[nodiscard]] std::optional<SimTime> next_end() const;
  /// Ends the pulls that are over at `now`; their images are present from then on.
  std::vector<std::string> take_pulled(SimTime now);

 private:
  struct Pull {
    std::string image;
    Duration left{0};  ///< with the whole bandwidth
  };

  [[nodiscard]] bool on_its_way(const std::string& image) const;
  [[nodiscard]] Duration whole_pull(const std::string& image) const;
  void advance(SimTime now);
  void begin_queued();

  std::map<std::string, std::int64_t> bytes_;
  std::int64_t default_bytes_;
  std::int64_t bytes_per_second_;  ///< 0: a pull takes no time
  bool parallel_;
  std::set<std::string> present_;
  std::vector<Pull> active_;
  std::deque<std::string> queue_;
  SimTime advanced_to_ = kTimeZero;
};

}  // namespace troupe::kubelet

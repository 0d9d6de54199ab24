#include "actors/kubelet/image_store.h"

#include <algorithm>

#include "actors/fixed_math.h"

namespace troupe::kubelet {
namespace {

constexpr std::int64_t kNanosecondsPerSecond = 1'000'000'000;

}  // namespace

ImageStore::ImageStore(const hosts::NodeConfig& config)
    : default_bytes_(config.default_image_bytes()),
      bytes_per_second_(config.image_bandwidth_bytes_per_s()),
      parallel_(config.parallel_image_pulls()) {
  for (const auto& image : config.images()) {
    bytes_[image.name()] = image.bytes();
    if (image.prepulled()) present_.insert(image.name());
  }
}

std::int64_t ImageStore::bytes_of(const std::string& image) const {
  const auto found = bytes_.find(image);
  return found == bytes_.end() ? default_bytes_ : found->second;
}

Duration ImageStore::whole_pull(const std::string& image) const {
  if (bytes_per_second_ <= 0) return Duration::zero();
  return Duration(
      fixed::multiply_divide(bytes_of(image), kNanosecondsPerSecond, bytes_per_second_));
}

bool ImageStore::on_its_way(const std::string& image) const {
  return std::find(queue_.begin(), queue_.end(), image) != queue_.end() ||
         std::any_of(active_.begin(), active_.end(),
                     [&image](const Pull& pull) { return pull.image == image; });
}

void ImageStore::pull(const std::string& image, SimTime now) {
  if (present(image) || on_its_way(image)) return;
  if (whole_pull(image) == Duration::zero()) {
    add(image);
    return;
  }
  advance(now);
  queue_.push_back(image);
  begin_queued();
}

void ImageStore::begin_queued() {
  while (!queue_.empty() && (parallel_ || active_.empty())) {
    active_.push_back({queue_.front(), whole_pull(queue_.front())});
    queue_.pop_front();
  }
}

void ImageStore::advance(SimTime now) {
  if (!active_.empty()) {
    const Duration each = (now - advanced_to_) / static_cast<std::int64_t>(active_.size());
    for (Pull& pull : active_) pull.left = std::max(Duration::zero(), pull.left - each);
  }
  advanced_to_ = now;
}

std::optional<SimTime> ImageStore::next_end() const {
  if (active_.empty()) return std::nullopt;
  const auto first = std::min_element(active_.begin(), active_.end(),
                                      [](const Pull& a, const Pull& b) { return a.left < b.left; });
  return advanced_to_ + first->left * static_cast<std::int64_t>(active_.size());
}

std::vector<std::string> ImageStore::take_pulled(SimTime now) {
  advance(now);
  std::vector<std::string> pulled;
  std::erase_if(active_, [&pulled](const Pull& pull) {
    if (pull.left > Duration::zero()) return false;
    pulled.push_back(pull.image);
    return true;
  });
  present_.insert(pulled.begin(), pulled.end());
  begin_queued();
  return pulled;
}

}  // namespace troupe::kubelet

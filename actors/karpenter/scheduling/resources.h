// Amounts of named resources and their arithmetic: what a pod asks for, what a node has, what a
// pool may still grow by.
//
// Amounts are integers in the resource's base unit: thousandths of a core for cpu, bytes for
// memory, pieces for everything else. An absent resource is 0, but a limit that is absent limits
// nothing, so presence is kept.
#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "messages/k8s/meta.pb.h"
#include "messages/k8s/pod.pb.h"

namespace troupe::karpenter {

inline constexpr std::string_view kCpu = "cpu";
inline constexpr std::string_view kMemory = "memory";
inline constexpr std::string_view kPods = "pods";
/// A node counts as one of these against the limits of its pool.
inline constexpr std::string_view kNodes = "nodes";

class Resources {
 public:
  using Entry = std::pair<std::string, std::int64_t>;
  using List = google::protobuf::RepeatedPtrField<k8s::ResourceAmount>;

  Resources() = default;
  explicit Resources(std::vector<Entry> entries);

  static Resources of(const List& amounts);
  /// What the pods together ask of a node: containers, init containers, overhead, and a place in
  /// `pods` for each.
  static Resources requested_by(std::span<const k8s::Pod* const> pods);
  static Resources requested_by(const k8s::Pod& pod);

  [[nodiscard]] std::int64_t get(std::string_view name) const;
  [[nodiscard]] bool has(std::string_view name) const;
  [[nodiscard]] bool is_empty() const { return entries_.empty(); }
  [[nodiscard]] std::span<const Entry> all() const& { return entries_; }
  std::span<const Entry> all() const&& = delete;

  void set(std::string_view name, std::int64_t amount);
  void add(const Resources& other);
  /// May leave negative amounts: a pool can be past its limits.
  void subtract(const Resources& other);
  void raise_to(const Resources& other);  ///< the larger of each
  void lower_to(const Resources& other);  ///< the smaller of each that both have
  /// Keeps each amount at 0 or above.
  void clamp_at_zero();
  /// Takes from `other` each amount that is absent or 0 here.
  void fill_zeros_from(const Resources& other);

  /// Whether `wanted` fits. An amount below 0 here fits nothing at all, as in Karpenter.
  [[nodiscard]] bool fits(const Resources& wanted) const;

  [[nodiscard]] List to_list() const;
  /// {"cpu":"1750m","memory":"1Gi","pods":"1"}
  [[nodiscard]] std::string to_string() const;

  friend bool operator==(const Resources&, const Resources&) = default;

 private:
  std::vector<Entry> entries_;  ///< sorted by name
};

}  // namespace troupe::karpenter

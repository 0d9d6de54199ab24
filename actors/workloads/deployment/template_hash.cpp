#include "actors/workloads/deployment/template_hash.h"

#include "messages/hash.h"
#include "messages/labels.h"
#include "messages/same_message.h"

namespace troupe::workloads {
namespace {

/// k8s.io/apimachinery, util/rand: no vowels, so that no word comes out.
constexpr std::string_view kAlphabet = "bcdfghjklmnpqrstvwxz2456789";

}  // namespace

std::string template_hash(const k8s::PodTemplateSpec& pod_template, std::int32_t collisions) {
  const std::uint64_t hash =
      mix(hash_bytes(pod_template.SerializeAsString()), static_cast<std::uint64_t>(collisions));
  // The real one encodes the decimal digits of a 32-bit hash.
  std::string text = std::to_string(static_cast<std::uint32_t>(hash));
  for (char& c : text) c = kAlphabet[static_cast<std::size_t>(c) % kAlphabet.size()];
  return text;
}

bool same_template(k8s::PodTemplateSpec a, k8s::PodTemplateSpec b) {
  erase_label(*a.mutable_metadata()->mutable_labels(), kTemplateHashLabel);
  erase_label(*b.mutable_metadata()->mutable_labels(), kTemplateHashLabel);
  return same_message(a, b);
}

}  // namespace troupe::workloads

#include "messages/labels.h"

#include <algorithm>

namespace troupe {
namespace {

const std::string& key_of(const k8s::KeyValue& pair) {
  return pair.key();
}
const std::string& key_of(const k8s::ResourceAmount& pair) {
  return pair.name();
}

/// The first position whose key is not below `key`. Lists are a few entries long: linear beats
/// binary here.
template <class Map>
auto place_of(Map& map, std::string_view key) {
  return std::find_if(map.begin(), map.end(),
                      [key](const auto& pair) { return key_of(pair) >= key; });
}

/// The entry of that key, inserted in its sorted place if it is not there.
template <class Map>
auto& entry_of(Map& map, std::string_view key, auto(*make)(std::string_view)) {
  const auto at = place_of(map, key);
  if (at != map.end() && key_of(*at) == key) return *at;
  const auto index = at - map.begin();
  map.Add(make(key));
  std::rotate(map.pointer_begin() + index, map.pointer_end() - 1, map.pointer_end());
  return *(map.begin() + index);
}

k8s::KeyValue new_label(std::string_view key) {
  k8s::KeyValue pair;
  pair.set_key(std::string(key));
  return pair;
}

k8s::ResourceAmount new_amount(std::string_view name) {
  k8s::ResourceAmount amount;
  amount.set_name(std::string(name));
  return amount;
}

}  // namespace

const std::string* find_label(const LabelMap& labels, std::string_view key) {
  for (const k8s::KeyValue& pair : labels) {
    if (pair.key() == key) return &pair.value();
  }
  return nullptr;
}

std::string_view label_or(const LabelMap& labels, std::string_view key, std::string_view fallback) {
  const std::string* value = find_label(labels, key);
  return value != nullptr ? *value : fallback;
}

bool set_label(LabelMap& labels, std::string_view key, std::string_view value) {
  const std::string* old = find_label(labels, key);
  if (old != nullptr && *old == value) return false;
  entry_of(labels, key, &new_label).set_value(std::string(value));
  return true;
}

bool erase_label(LabelMap& labels, std::string_view key) {
  const auto at = std::find_if(labels.begin(), labels.end(),
                               [key](const auto& pair) { return pair.key() == key; });
  if (at == labels.end()) return false;
  labels.erase(at);
  return true;
}

bool same_labels(const LabelMap& a, const LabelMap& b) {
  return std::equal(a.begin(), a.end(), b.begin(), b.end(), [](const auto& x, const auto& y) {
    return x.key() == y.key() && x.value() == y.value();
  });
}

Quantity amount_of(const ResourceMap& resources, std::string_view name) {
  for (const k8s::ResourceAmount& resource : resources) {
    if (resource.name() == name) return Quantity::parse(resource.quantity()).value_or(Quantity{});
  }
  return {};
}

void set_amount(ResourceMap& resources, std::string_view name, const Quantity& amount) {
  entry_of(resources, name, &new_amount).set_quantity(amount.to_string());
}

void add_amounts(ResourceMap& total, const ResourceMap& more) {
  for (const k8s::ResourceAmount& resource : more) {
    const Quantity amount = Quantity::parse(resource.quantity()).value_or(Quantity{});
    set_amount(total, resource.name(), amount_of(total, resource.name()) + amount);
  }
}

void subtract_amounts(ResourceMap& total, const ResourceMap& less) {
  for (const k8s::ResourceAmount& resource : less) {
    const Quantity amount = Quantity::parse(resource.quantity()).value_or(Quantity{});
    set_amount(total, resource.name(), amount_of(total, resource.name()) - amount);
  }
}

}  // namespace troupe

#include "actors/workloads/objects/taints.h"

#include <algorithm>

namespace troupe {
namespace {

template <class List>
auto position(List& taints, std::string_view key, std::string_view effect) {
  return std::find_if(taints.begin(), taints.end(), [&](const k8s::Taint& taint) {
    return taint.key() == key && taint.effect() == effect;
  });
}

}  // namespace

k8s::Taint make_taint(std::string_view key, std::string_view effect, std::string_view value) {
  k8s::Taint taint;
  taint.set_key(std::string(key));
  if (!value.empty()) taint.set_value(std::string(value));
  taint.set_effect(std::string(effect));
  return taint;
}

const k8s::Taint* find_taint(const Taints& taints, std::string_view key, std::string_view effect) {
  const auto at = position(taints, key, effect);
  return at != taints.end() ? &*at : nullptr;
}

bool add_taint(Taints& taints, const k8s::Taint& taint) {
  if (find_taint(taints, taint.key(), taint.effect()) != nullptr) return false;
  *taints.Add() = taint;
  return true;
}

bool erase_taint(Taints& taints, std::string_view key, std::string_view effect) {
  const auto at = position(taints, key, effect);
  if (at == taints.end()) return false;
  taints.erase(at);
  return true;
}

std::string to_string(const k8s::Taint& taint) {
  std::string text = taint.key();
  if (!taint.value().empty()) text += "=" + taint.value();
  return text + ":" + taint.effect();
}

}  // namespace troupe

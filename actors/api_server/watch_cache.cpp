#include "actors/api_server/watch_cache.h"

#include <algorithm>

#include "actors/api_client/object_key.h"

namespace troupe::apiserver {

void WatchCache::reset(std::int64_t revision, const std::vector<Payload>& objects) {
  kinds_.clear();
  for (const Payload& object : objects) {
    const api::ObjectKey key = key_of(object.message());
    kinds_[key.kind()].objects.emplace(path_of(key), object);
  }
  revision_ = revision;
  base_ = revision;
  ready_ = true;
}

bool WatchCache::apply(const std::string& kind, const std::string& path, CachedEvent event) {
  if (event.revision <= revision_) return false;
  revision_ = event.revision;
  KindCache& cache = kinds_[kind];
  if (event.type == api::WatchEvent::DELETED) {
    cache.objects.erase(path);
  } else {
    cache.objects.insert_or_assign(path, event.object);
  }
  const SimTime now = event.at;
  cache.history.push_back(std::move(event));
  trim(cache, now);
  return true;
}

void WatchCache::trim(KindCache& kind, SimTime now) const {
  const auto superfluous = [&](const CachedEvent& oldest) {
    if (oldest.at + limits_.compaction < now || kind.history.size() > limits_.maximum) return true;
    return oldest.at + limits_.fresh < now && kind.history.size() > limits_.minimum;
  };
  while (!kind.history.empty() && superfluous(kind.history.front())) {
    kind.forgotten = kind.history.front().revision;
    kind.history.pop_front();
  }
}

const WatchCache::Objects& WatchCache::objects(std::string_view kind) const {
  static const Objects kNone;
  const auto found = kinds_.find(kind);
  return found == kinds_.end() ? kNone : found->second.objects;
}

Payload WatchCache::get(std::string_view kind, std::string_view path) const {
  const Objects& all = objects(kind);
  const auto found = all.find(path);
  return found == all.end() ? Payload{} : found->second;
}

std::int64_t WatchCache::oldest(std::string_view kind, SimTime now) {
  const auto found = kinds_.find(kind);
  if (found == kinds_.end()) return base_;
  trim(found->second, now);
  return std::max(base_, found->second.forgotten);
}

void WatchCache::compact(std::string_view kind) {
  for (auto& [name, cache] : kinds_) {
    if (!kind.empty() && name != kind) continue;
    cache.history.clear();
    cache.forgotten = revision_;
  }
}

void WatchCache::for_each_since(std::string_view kind, std::int64_t revision,
                                const std::function<void(const CachedEvent&)>& visit) const {
  const auto found = kinds_.find(kind);
  if (found == kinds_.end()) return;
  const auto& history = found->second.history;
  auto next = std::upper_bound(
      history.begin(), history.end(), revision,
      [](std::int64_t wanted, const CachedEvent& event) { return wanted < event.revision; });
  for (; next != history.end(); ++next) visit(*next);
}

}  // namespace troupe::apiserver

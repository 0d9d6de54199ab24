#include "actors/api_server/watch_hub.h"

#include <utility>

namespace troupe::apiserver {

std::optional<SeenEvent> seen_by(const Watcher& watcher, const CachedEvent& event) {
  if (event.revision <= watcher.after) return std::nullopt;
  const bool deleted = event.type == api::WatchEvent::DELETED;
  const bool before = event.previous && watcher.selector.matches(event.previous.message());
  const bool after = !deleted && watcher.selector.matches(event.object.message());
  if (after) {
    return SeenEvent{before ? api::WatchEvent::MODIFIED : api::WatchEvent::ADDED, event.object};
  }
  if (!before) return std::nullopt;
  return SeenEvent{api::WatchEvent::DELETED, deleted ? event.object : event.previous};
}

void WatchHub::add(Watcher watcher) {
  remove(watcher.client, watcher.watch_id);
  const Number number = ++last_;
  numbers_[{watcher.client, watcher.watch_id}] = number;
  KindIndex& index = kinds_[std::string(watcher.kind->name)];
  if (watcher.selector.fields().empty()) {
    index.general.insert(number);
  } else {
    const ObjectSelector::FieldTerm& term = watcher.selector.fields().front();
    FieldIndex& field = index.fields[term.path];
    field.field = term.field;
    field.by_value[term.value].insert(number);
  }
  watchers_.emplace(number, std::move(watcher));
}

void WatchHub::unfile(Number number) {
  const auto found = watchers_.find(number);
  const Watcher& watcher = found->second;
  KindIndex& index = kinds_.find(watcher.kind->name)->second;
  if (watcher.selector.fields().empty()) {
    index.general.erase(number);
  } else {
    const ObjectSelector::FieldTerm& term = watcher.selector.fields().front();
    auto& by_value = index.fields[term.path].by_value;
    const auto entry = by_value.find(term.value);
    entry->second.erase(number);
    if (entry->second.empty()) by_value.erase(entry);
    if (by_value.empty()) index.fields.erase(term.path);
  }
  watchers_.erase(found);
}

void WatchHub::remove(const Address& client, std::uint64_t watch_id) {
  const auto found = numbers_.find({client, watch_id});
  if (found == numbers_.end()) return;
  unfile(found->second);
  numbers_.erase(found);
}

bool WatchHub::remove_client(const Address& client) {
  const auto begin = numbers_.lower_bound({client, 0});
  auto end = begin;
  for (; end != numbers_.end() && end->first.first == client; ++end) unfile(end->second);
  const bool any = begin != end;
  numbers_.erase(begin, end);
  return any;
}

std::vector<Watcher> WatchHub::clear() {
  std::vector<Watcher> all;
  for (auto& [number, watcher] : watchers_) all.push_back(std::move(watcher));
  watchers_.clear();
  numbers_.clear();
  kinds_.clear();
  return all;
}

std::vector<Watcher> WatchHub::clear(const Kind& kind) {
  std::vector<Watcher> found;
  for (const auto& [number, watcher] : watchers_) {
    if (watcher.kind == &kind) found.push_back(watcher);
  }
  for (const Watcher& watcher : found) remove(watcher.client, watcher.watch_id);
  return found;
}

void WatchHub::collect(const FieldIndex& index, const Payload& object,
                       std::set<Number>& found) const {
  if (!object) return;
  const auto entry = index.by_value.find(index.field->value(object.message()));
  if (entry != index.by_value.end()) found.insert(entry->second.begin(), entry->second.end());
}

void WatchHub::publish(const Kind& kind, const CachedEvent& event, const Send& send) const {
  const auto index = kinds_.find(kind.name);
  if (index == kinds_.end()) return;
  std::set<Number> candidates;
  for (const auto& [path, field] : index->second.fields) {
    collect(field, event.object, candidates);
    collect(field, event.previous, candidates);
  }
  candidates.insert(index->second.general.begin(), index->second.general.end());
  for (const Number number : candidates) {
    const Watcher& watcher = watchers_.at(number);
    if (const auto seen = seen_by(watcher, event)) send(watcher, *seen);
  }
}

void WatchHub::for_each(const std::function<void(const Watcher&)>& visit) const {
  for (const auto& [number, watcher] : watchers_) visit(watcher);
}

}  // namespace troupe::apiserver

#include "actors/api_server/store.h"

#include "actors/api_client/object_key.h"
#include "actors/api_server/object_fields.h"

namespace troupe::apiserver {
namespace {

Payload with_revision(const Payload& object, std::int64_t revision) {
  const std::string version = std::to_string(revision);
  if (meta_of(object.message()).resource_version() == version) return object;
  std::unique_ptr<Message> stamped = copy_of(object.message());
  mutable_meta(*stamped)->set_resource_version(version);
  return Payload(std::move(stamped), {});
}

}  // namespace

const Store::Commit* Store::commit(const api::ObjectKey& key, std::int64_t expected,
                                   const Payload& object, SimTime now) {
  Objects& objects = kinds_[key.kind()];
  const std::string path = path_of(key);
  const auto found = objects.find(path);
  const std::int64_t current = found == objects.end() ? 0 : found->second.revision;
  if (current != expected || (current == 0 && !object)) return nullptr;

  Commit commit{++revision_, key, api::WatchEvent::ADDED, {}, {}, now};
  if (found != objects.end()) commit.previous = found->second.object;
  if (object) {
    commit.type = current == 0 ? api::WatchEvent::ADDED : api::WatchEvent::MODIFIED;
    commit.object = with_revision(object, revision_);
    objects.insert_or_assign(path, Object{commit.object, revision_});
  } else {
    commit.type = api::WatchEvent::DELETED;
    commit.object = with_revision(commit.previous, revision_);
    objects.erase(found);
  }
  return &append(std::move(commit));
}

const Store::Commit& Store::append(Commit commit) {
  while (!log_.empty() && log_.front().at + compaction_ < commit.at) {
    compacted_ = log_.front().revision;
    log_.pop_front();
  }
  log_.push_back(std::move(commit));
  return log_.back();
}

Store::Object Store::get(const api::ObjectKey& key) const {
  const auto objects = kinds_.find(key.kind());
  if (objects == kinds_.end()) return {};
  const auto found = objects->second.find(path_of(key));
  return found == objects->second.end() ? Object{} : found->second;
}

std::vector<Payload> Store::list(std::string_view kind) const {
  std::vector<Payload> result;
  for (const auto& [name, objects] : kinds_) {
    if (!kind.empty() && name != kind) continue;
    result.reserve(result.size() + objects.size());
    for (const auto& [path, object] : objects) result.push_back(object.object);
  }
  return result;
}

void Store::restore(std::int64_t revision,
                    const std::vector<std::pair<api::ObjectKey, Payload>>& objects) {
  kinds_.clear();
  log_.clear();
  revision_ = revision;
  compacted_ = revision;
  for (const auto& [key, object] : objects) {
    const std::int64_t version = revision_of(meta_of(object.message()).resource_version());
    kinds_[key.kind()].insert_or_assign(path_of(key), Object{object, version});
  }
}

}  // namespace troupe::apiserver

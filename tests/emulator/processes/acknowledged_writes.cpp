#include "tests/emulator/processes/acknowledged_writes.h"

#include <map>

#include "emulator/live/inbox_journal.h"
#include "emulator/live/state_store.h"
#include "messages/api.pb.h"
#include "messages/envelope.h"
#include "messages/kinds.h"

namespace troupe::test {
namespace {

namespace fs = std::filesystem;

using Versions = std::map<std::string, std::int64_t>;  ///< "Pod/default/a" -> resourceVersion

std::string key_of(const Payload& object) {
  const Kind* kind = find_kind(*object.message().GetDescriptor());
  const k8s::ObjectMeta& meta = meta_of(object.message());
  std::string key = std::string(kind->name) + "/";
  if (!meta.namespace_().empty()) key += meta.namespace_() + "/";
  return key + meta.name();
}

std::int64_t version_of(const Payload& object) {
  const std::string& text = meta_of(object.message()).resource_version();
  return text.empty() ? 0 : std::stoll(text);
}

void raise(Versions& versions, const std::string& key, std::int64_t version) {
  std::int64_t& known = versions[key];
  known = std::max(known, version);
}

// What clients were told: of objects that they wrote, and of objects that are gone.
void read(const fs::path& journal, Versions& told, Versions& deleted) {
  for (const std::string& stem : live::inbox_files(journal).stems) {
    static_cast<void>(live::read_inbox(journal, stem, [&](const inbox::Record& record) {
      if (!record.has_delivery() || !record.delivery().event().has_payload()) return;
      const Result<Payload> payload = from_envelope(record.delivery().event().payload());
      if (!payload || payload->attachments().size() != 1) return;
      const Payload& object = payload->attachments().front();
      const Kind* kind = find_kind(*object.message().GetDescriptor());
      if (kind == nullptr || kind->name == "Scale") return;  // a view of another object
      const auto* reply = payload->as<api::ApiReply>();
      const auto* event = payload->as<api::WatchEvent>();
      if (reply != nullptr && (reply->code() == 200 || reply->code() == 201)) {
        raise(told, key_of(object), version_of(object));
      } else if (event != nullptr && event->type() == api::WatchEvent::DELETED) {
        raise(deleted, key_of(object), version_of(object));
      }
    }));
  }
}

Versions stored_in(const fs::path& state) {
  Versions stored;
  for (const auto& entry : fs::directory_iterator(state)) {
    if (entry.path().extension() != ".sqlite") continue;
    const Result<live::StateStore> store = live::StateStore::open(entry.path());
    if (!store) continue;
    const Result<std::vector<live::StateStore::Host>> hosts = store->hosts();
    if (!hosts) continue;
    for (const live::StateStore::Host& host : *hosts) {
      if (!host.path.starts_with("apiserver/")) continue;
      for (const auto& [actor, entries] : host.persisted) {
        for (const auto& [key, bytes] : entries) {
          const Kind* kind = find_kind(std::string_view(key).substr(0, key.find('/')));
          if (kind == nullptr) continue;
          std::unique_ptr<google::protobuf::Message> object(kind->prototype->New());
          if (object->ParseFromString(bytes)) {
            stored[key] = std::stoll("0" + meta_of(*object).resource_version());
          }
        }
      }
    }
  }
  return stored;
}

}  // namespace

std::vector<std::string> lost_writes(const fs::path& run, std::size_t& acknowledged) {
  Versions told;
  Versions deleted;
  read(run / "journal", told, deleted);
  const Versions stored = stored_in(run / "state");
  std::vector<std::string> lost;
  acknowledged = told.size();
  for (const auto& [key, version] : told) {
    const auto has = stored.find(key);
    const auto gone = deleted.find(key);
    const bool is_kept = has != stored.end() && has->second >= version;
    if (is_kept || (gone != deleted.end() && gone->second >= version)) continue;
    lost.push_back(key + ": a client was told of version " + std::to_string(version) +
                   ", the store has " +
                   (has == stored.end() ? "none" : std::to_string(has->second)));
  }
  return lost;
}

}  // namespace troupe::test

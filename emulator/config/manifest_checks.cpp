#include "emulator/config/manifest_checks.h"

#include <map>
#include <string>
#include <vector>

#include "actors/api_server/mutation.h"
#include "messages/kinds.h"

namespace troupe::config {
namespace {

using Name = std::string;  // "Pod default/web"

Name name_of(const std::string& kind, const std::string& name_space, const std::string& name) {
  const Kind* known = find_kind(kind);
  const bool namespaced = known != nullptr && known->namespaced;
  if (!namespaced) return kind + " " + name;
  return kind + " " + (name_space.empty() ? "default" : name_space) + "/" + name;
}

Name name_of(const Payload& object) {
  const k8s::ObjectMeta& meta = meta_of(object.message());
  const Kind* kind = find_kind(*object.message().GetDescriptor());
  return name_of(std::string(kind->name), meta.namespace_(), meta.name());
}

std::vector<Name> owners_of(const Payload& object) {
  const k8s::ObjectMeta& meta = meta_of(object.message());
  std::vector<Name> owners;
  for (const auto& owner : meta.owner_references()) {
    owners.push_back(name_of(owner.kind(), meta.namespace_(), owner.name()));
  }
  return owners;
}

// Follows owners from each object; one that comes back to where it began is a cycle.
class OwnerCycles {
 public:
  explicit OwnerCycles(const std::map<Name, const ManifestObject*>& objects) : objects_(objects) {}

  /// "Job default/a -> Job default/b -> Job default/a", or nothing.
  std::string from(const Name& start) {
    trail_.clear();
    return walk(start, start) ? describe(start) : "";
  }

 private:
  bool walk(const Name& here, const Name& start) {
    const auto object = objects_.find(here);
    if (object == objects_.end() || trail_.size() > objects_.size()) return false;
    trail_.push_back(here);
    for (const Name& owner : owners_of(object->second->object)) {
      if (owner == start || walk(owner, start)) return true;
    }
    trail_.pop_back();
    return false;
  }

  [[nodiscard]] std::string describe(const Name& start) const {
    std::string text;
    for (const Name& name : trail_) text += name + " -> ";
    return text + start;
  }

  const std::map<Name, const ManifestObject*>& objects_;
  std::vector<Name> trail_;
};

}  // namespace

void check_manifests(const std::vector<ManifestObject>& manifests, Problems& problems) {
  std::map<Name, const ManifestObject*> objects;
  for (const ManifestObject& manifest : manifests) {
    const Kind& kind = *find_kind(*manifest.object.message().GetDescriptor());
    for (const std::string& error : apiserver::creation_errors(kind, manifest.object.message())) {
      problems.add_at(manifest.where, error);
    }
    const Name name = name_of(manifest.object);
    if (meta_of(manifest.object.message()).name().empty()) continue;  // generateName
    const auto [known, is_new] = objects.emplace(name, &manifest);
    if (!is_new) {
      problems.add_at(manifest.where, name + " is given twice, first at " + known->second->where);
    }
  }
  OwnerCycles cycles(objects);
  for (const auto& [name, manifest] : objects) {
    if (const std::string cycle = cycles.from(name); !cycle.empty()) {
      problems.add_at(manifest->where,
                      "owners in a cycle: " + cycle +
                          "; expected ownerReferences that end at an object without one");
    }
  }
}

}  // namespace troupe::config

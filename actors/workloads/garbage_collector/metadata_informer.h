// A watch of objects of one kind of which only the metadata matters.
#pragma once

#include <functional>
#include <map>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "actors/api_client/reflector.h"

namespace troupe::workloads {

class MetadataInformer final : public Reflector {
 public:
  using SeenHandler = std::function<void(Context&, const google::protobuf::Message& object)>;
  using GoneHandler = std::function<void(Context&, const std::string& uid)>;

  MetadataInformer(ApiClient& client, std::string_view kind, SeenHandler seen, GoneHandler gone)
      : Reflector(client, kind, {}), seen_(std::move(seen)), gone_(std::move(gone)) {}

 private:
  void set(Context& context, const std::string& path, const Payload& object) override {
    const std::string& uid = meta_of(object.message()).uid();
    std::string& known = uids_[path];
    // A list may show another object of the same name in the place of the first.
    if (!known.empty() && known != uid) gone_(context, known);
    known = uid;
    seen_(context, object.message());
  }
  void erase(Context& context, const std::string& path, const Payload&) override {
    const auto known = uids_.extract(path);
    if (!known.empty()) gone_(context, known.mapped());
  }
  [[nodiscard]] std::string path_of_object(const Payload& object) const override {
    return path_of(meta_of(object.message()));
  }
  [[nodiscard]] std::vector<std::string> paths() const override {
    std::vector<std::string> result;
    for (const auto& [path, uid] : uids_) result.push_back(path);
    return result;
  }
  void resync(Context&) override {}
  void first_synced(Context&) override {}

  SeenHandler seen_;
  GoneHandler gone_;
  std::map<std::string, std::string> uids_;  ///< by path
};

}  // namespace troupe::workloads

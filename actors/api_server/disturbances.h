// What faults do to requests before the API server looks at them: they are late, refused, or not
// answered with anything but an error. Which requests, is said by verb, kind and namespace; which
// of them, by chance or by number.
#pragma once

#include <cstdint>
#include <map>
#include <string>

#include "actors/api_server/status.h"
#include "actors/context.h"
#include "messages/api.pb.h"
#include "messages/fault.pb.h"

namespace troupe::apiserver {

/// A request as an authorizer sees it.
struct RequestAttributes {
  std::string verb;  ///< "create", "update", "patch", "delete", "get", "list", "bind", "evict"
  std::string kind;
  std::string name_space;
  std::string name;
  std::uint64_t identity = 0;  ///< of this request and no other
};

[[nodiscard]] RequestAttributes attributes_of(const api::ApiRequest& request,
                                              const Address& client);

class Disturbances {
 public:
  struct Verdict {
    Status refusal;  ///< where its code is not 0
    Duration delay{0};
  };

  /// Begins or heals one.
  void change(const fault::DisturbRequests& disturb);
  [[nodiscard]] bool none() const { return active_.empty(); }
  [[nodiscard]] Verdict judge(const Context& context, const RequestAttributes& request);

 private:
  struct Active {
    fault::DisturbRequests spec;
    std::uint32_t passed = 0;  ///< matching requests that it let pass
  };

  std::map<std::uint32_t, Active> active_;  ///< by id
};

}  // namespace troupe::apiserver

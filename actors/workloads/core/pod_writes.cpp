#include "actors/workloads/core/pod_writes.h"

#include <memory>
#include <utility>

#include "actors/workloads/core/slow_start.h"

namespace troupe::workloads {
namespace {

struct Creation {
  Creation(ApiClient& client, std::vector<k8s::Pod> to_create, PodWrites callbacks)
      : api(client), pods(std::move(to_create)), writes(std::move(callbacks)), start(pods.size()) {}

  ApiClient& api;
  std::vector<k8s::Pod> pods;
  PodWrites writes;
  SlowStart start;
  std::size_t next = 0;
  PodWrites::End end;
};

/// The callbacks share the creation: it lives until the last of them has run.
void create_batch(Context& context, const std::shared_ptr<Creation>& creation) {
  const std::size_t count = creation->start.next_batch();
  if (count == 0) {
    creation->end.skipped = creation->start.skipped();
    creation->writes.done(context, creation->end);
    return;
  }
  for (std::size_t i = 0; i < count; ++i) {
    const std::size_t index = creation->next++;
    creation->api.create(context, std::move(creation->pods[index]),
                         [creation, index](Context& later, const ApiResult& result) {
                           if (!result.ok() && creation->end.ok())
                             creation->end.error = result.message;
                           creation->writes.each(later, index, result);
                           if (creation->start.answered(result.ok())) create_batch(later, creation);
                         });
  }
}

}  // namespace

void create_pods(ApiClient& api, Context& context, std::vector<k8s::Pod> pods, PodWrites writes) {
  create_batch(context, std::make_shared<Creation>(api, std::move(pods), std::move(writes)));
}

void delete_pods(ApiClient& api, Context& context, std::vector<PodPtr> pods, PodWrites writes) {
  if (pods.empty()) {
    writes.done(context, {});
    return;
  }
  struct Deletion {
    PodWrites writes;
    std::size_t open;
    PodWrites::End end;
  };
  auto deletion = std::make_shared<Deletion>(Deletion{std::move(writes), pods.size(), {}});
  for (std::size_t i = 0; i < pods.size(); ++i) {
    api.remove(context, key_of(*pods[i]), {},
               [deletion, i](Context& later, const ApiResult& result) {
                 const bool failed = !result.ok() && !result.not_found();
                 if (failed && deletion->end.ok()) deletion->end.error = result.message;
                 deletion->writes.each(later, i, result);
                 if (--deletion->open == 0) deletion->writes.done(later, deletion->end);
               });
  }
}

}  // namespace troupe::workloads

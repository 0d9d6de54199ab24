// Says of groups that are not placed why that is: events, the pods' PodScheduled condition, the
// PodGroup's scheduling condition and the mark of a stale gang. What was said already is not said
// again until it changes.
#pragma once

#include <map>
#include <string>

#include "actors/api_client/api_client.h"
#include "actors/api_client/event_recorder.h"
#include "actors/kai/cluster_view.h"
#include "messages/schedulers.pb.h"

namespace troupe::kai {

class GroupReporter {
 public:
  GroupReporter(ApiClient& api, EventRecorder& events, ClusterView& view)
      : api_(api), events_(events), view_(view) {}

  void report(Context& context, const schedulers::KaiDecided& decided);

 private:
  void report_group(Context& context, const schedulers::KaiReport& report, const PodGroup& group);
  void report_pod(Context& context, const schedulers::KaiReport::Pod& report, bool mark);
  void set_condition(Context& context, const schedulers::KaiReport& report, const PodGroup& group);
  void set_stale_mark(Context& context, const schedulers::KaiReport& report, const PodGroup& group);
  /// False if the same was said of that object last time.
  bool is_news(const std::string& about, const std::string& message);

  ApiClient& api_;
  EventRecorder& events_;
  ClusterView& view_;
  std::map<std::string, std::string> said_;    ///< what was said last
  std::map<std::string, std::string> saying_;  ///< what this report says: the rest is forgotten
};

}  // namespace troupe::kai

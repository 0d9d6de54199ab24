// A pod without an owner is a group of its own; the pods of a Spark application are one.
#include "actors/kai/grouping/registry.h"
#include "messages/labels.h"

namespace troupe::kai {
namespace {

// Spark on Kubernetes, and KAI's plugins/spark/spark.go.
constexpr std::string_view kSparkNameLabel = "spark-app-name";
constexpr std::string_view kSparkSelectorLabel = "spark-app-selector";

}  // namespace

Result<Grouping> group_bare_pod(const GroupingCase& one) {
  Grouping grouping = one.one_group();
  const auto& labels = one.pod().metadata().labels();
  const std::string* application = find_label(labels, kSparkSelectorLabel);
  if (application != nullptr && find_label(labels, kSparkNameLabel) != nullptr) {
    grouping.group.mutable_metadata()->set_name(*application);
  }
  return grouping;
}

}  // namespace troupe::kai

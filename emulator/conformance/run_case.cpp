#include "emulator/conformance/run_case.h"

#include "emulator/conformance/output_comparison.h"
#include "emulator/conformance/sync_case.h"

namespace troupe::conformance {
namespace {

Differences run_unit(const UnitCall& call, const std::string& profile) {
  const std::string& release = profile.empty() ? call.component->profiles.back() : profile;
  const std::unique_ptr<google::protobuf::Message> output(call.output->New());
  output->CopyFrom(*call.output);
  call.component->run(*call.input, release, *output);
  return compare_output(call.expected, manifests::json_tree(*output));
}

}  // namespace

Differences run_case(const Case& one) {
  return one.unit ? run_unit(*one.unit, one.spec.profile()) : run_sync_case(one.spec);
}

}  // namespace troupe::conformance

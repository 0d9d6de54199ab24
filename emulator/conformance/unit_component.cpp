#include "emulator/conformance/unit_component.h"

#include <algorithm>
#include <array>

#include "emulator/conformance/engine_unit.h"
#include "emulator/conformance/fair_share_unit.h"
#include "emulator/conformance/hpa_unit.h"

namespace troupe::conformance {
namespace {

using google::protobuf::Message;

template <class Input, class Output, auto kCheck, auto kRun>
UnitComponent row(std::string_view name, std::vector<std::string> profiles) {
  return {name,
          std::move(profiles),
          &Input::default_instance(),
          &Output::default_instance(),
          [](const Message& input, config::Problems& problems) {
            kCheck(static_cast<const Input&>(input), problems);
          },
          [](const Message& input, const std::string& profile, Message& output) {
            auto& out = static_cast<Output&>(output);
            out = kRun(static_cast<const Input&>(input), profile, out);
          }};
}

const auto& table() {
  static const std::array rows = {
      // The replica arithmetic of the HorizontalPodAutoscaler, whose dead band drifted.
      row<config::HpaUnitInput, config::HpaUnitOutput, check_hpa_input, run_hpa>("hpa",
                                                                                 {"1.31", "1.35"}),
      // vLLM's scheduler and KV cache.
      row<config::EngineUnitInput, config::EngineUnitOutput, check_engine_input, run_engine>(
          "engine", {"v1"}),
      // KAI's division of GPUs among queues.
      row<config::FairShareUnitInput, config::FairShareUnitOutput, check_fair_share_input,
          run_fair_share>("fair-share", {"0.13"}),
  };
  return rows;
}

}  // namespace

std::span<const UnitComponent> unit_components() {
  return table();
}

const UnitComponent* find_unit_component(std::string_view name) {
  const auto& rows = table();
  const auto at = std::find_if(rows.begin(), rows.end(),
                               [name](const UnitComponent& row) { return row.name == name; });
  return at != rows.end() ? &*at : nullptr;
}

}  // namespace troupe::conformance

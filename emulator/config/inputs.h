// All that a scenario is made of, read and checked for form: what resolving works on.
#pragma once

#include <cstdint>
#include <functional>
#include <string>
#include <vector>

#include "emulator/manifests/manifest_reader.h"
#include "messages/load.pb.h"
#include "messages/payload.h"
#include "messages/scenario.pb.h"
#include "messages/serving.pb.h"
#include "messages/topology.pb.h"

namespace troupe::config {

/// An object of a manifest with where it stands.
struct ManifestObject {
  Payload object;
  std::string where;  ///< "file:line"
};

/// What a step applies or patches.
struct StepObject {
  Payload object;                    ///< empty for a delete
  std::vector<std::string> cleared;  ///< paths that a patch sets to null
};

[[nodiscard]] std::vector<ManifestObject> objects_of(std::vector<manifests::Manifest> manifests);

struct Inputs {
  std::string name;     ///< the scenario's file name without its ending
  std::string variant;  ///< empty: the scenario itself
  bool live = false;    ///< resolved for a live run
  Scenario scenario;
  Topology topology;
  InstanceTypeCatalogue instance_types;
  serving::ModelCatalogue models;
  serving::GpuCatalogue gpus;
  std::vector<ManifestObject> manifests;
  std::vector<StepObject> steps;              ///< by step of the scenario
  std::vector<load::Trace> traces;            ///< by traffic entry; empty where it has a generator
  std::vector<std::int64_t> toy_arrivals_ns;  ///< of a scenario with a toy
};

/// True if an object of the manifests or of the steps is such a one.
[[nodiscard]] bool any_object(const Inputs& inputs,
                              const std::function<bool(const Payload&)>& is_such);

}  // namespace troupe::config

// All that a scenario is made of, read and checked for form: what resolving works on.
#pragma once

#include <string>
#include <vector>

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

struct Inputs {
  std::string name;     ///< the scenario's file name without its ending
  std::string variant;  ///< empty: the scenario itself
  Scenario scenario;
  Topology topology;
  InstanceTypeCatalogue instance_types;
  serving::ModelCatalogue models;
  serving::GpuCatalogue gpus;
  std::vector<ManifestObject> manifests;
  std::vector<load::Trace> traces;            ///< by traffic entry; empty where it has a generator
  std::vector<std::int64_t> toy_arrivals_ns;  ///< of a scenario with a toy
};

}  // namespace troupe::config

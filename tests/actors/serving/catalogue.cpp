#include "tests/actors/serving/catalogue.h"

#include <algorithm>
#include <stdexcept>
#include <string>

#include "emulator/manifests/document_reader.h"

namespace troupe::serving::testing {
namespace {

template <class Catalogue>
Catalogue catalogue(const char* file) {
  Catalogue result;
  for (const auto& problem : manifests::load_document(file, result)) {
    throw std::runtime_error(problem.message);
  }
  return result;
}

template <class List>
auto named(const List& list, std::string_view name) {
  for (const auto& one : list) {
    if (one.name() == name || std::ranges::find(one.aliases(), name) != one.aliases().end()) {
      return one;
    }
  }
  throw std::runtime_error("not in the catalogue: " + std::string(name));
}

}  // namespace

ModelSpec model_named(std::string_view name) {
  static const auto models = catalogue<ModelCatalogue>(TROUPE_SOURCE_DIR "/topologies/models.yaml");
  return named(models.models(), name);
}

GpuSpec gpu_named(std::string_view name) {
  static const auto gpus = catalogue<GpuCatalogue>(TROUPE_SOURCE_DIR "/topologies/gpus.yaml");
  return named(gpus.gpus(), name);
}

ServingWorkload workload_of(std::string_view model, std::string_view gpu) {
  ServingWorkload workload;
  workload.set_name(std::string(model));
  *workload.mutable_model() = model_named(model);
  *workload.add_gpus() = gpu_named(gpu);
  return workload;
}

}  // namespace troupe::serving::testing

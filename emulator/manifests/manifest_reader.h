// Kubernetes manifests as people have them: many documents in a file, lists, kinds that we know and
// kinds that we do not.
//
// The rules: an object of a modelled kind is read; another kind is a warning that names it, its
// file and its line; a slip in a name is an error that says what was meant. A kind is looked up by
// its group too, since several groups have a Topology, a PodGroup, a NodePool.
#pragma once

#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include <google/protobuf/message.h>

#include "emulator/manifests/diagnostic.h"
#include "emulator/manifests/message_reader.h"
#include "emulator/manifests/yaml_node.h"
#include "messages/kinds.h"

namespace troupe::manifests {

struct Manifest {
  std::unique_ptr<google::protobuf::Message> object;
  const Kind* kind = nullptr;
  std::string file;
  int line = 0;
  std::vector<std::string> cleared = {};  ///< of a partial object: the paths of its nulls
};

struct ManifestFile {
  std::vector<Manifest> objects;  ///< in the order of the file; those with errors are there too
  Diagnostics diagnostics;
};

struct ManifestOptions {
  bool strict = false;  ///< warnings are errors
  /// Objects are patches: nothing but apiVersion and kind is required of them.
  bool partial = false;
  /// Where the objects stand in a larger document: "steps[0].apply".
  std::string path = {};
};

/// Every object of a text.
ManifestFile read_manifests(std::string_view text, const std::string& file,
                            const ManifestOptions& options = {});
/// Every object of a file; a file that cannot be read is an error like any other.
ManifestFile load_manifests(const std::string& file, const ManifestOptions& options = {});

/// The objects of one tree, which may be part of a larger document: an object, a List, or a YAML
/// list of objects.
void read_objects(const YamlNode& node, const std::string& file, const ManifestOptions& options,
                  ManifestFile& result);

}  // namespace troupe::manifests

#include "emulator/manifests/manifest_reader.h"

#include <array>
#include <utility>

#include "emulator/manifests/spelling.h"
#include "emulator/manifests/text_file.h"
#include "emulator/manifests/yaml_parser.h"
#include "messages/dns_names.h"

namespace troupe::manifests {
namespace {

/// Kinds that the API server keeps while no actor does anything with them.
constexpr std::array<std::string_view, 12> kInert = {"CronJob",
                                                     "DaemonSet",
                                                     "JAXJob",
                                                     "JobSet",
                                                     "MPIJob",
                                                     "PersistentVolume",
                                                     "PersistentVolumeClaim",
                                                     "RayJob",
                                                     "RayService",
                                                     "StorageClass",
                                                     "TFJob",
                                                     "XGBoostJob"};

/// The group of an apiVersion; empty for the core group.
std::string_view group_of(std::string_view api_version) {
  const std::size_t slash = api_version.find('/');
  return slash == std::string_view::npos ? std::string_view{} : api_version.substr(0, slash);
}

std::string preferred(const Kind& kind) {
  return std::string(kind.versions.front());
}

/// Groups that are Kubernetes' own and complete in our table as far as their kinds' names go: a
/// kind of ours that claims to live in another of them is a mistake, and not somebody's extension.
bool is_builtin_group(std::string_view group) {
  constexpr std::array<std::string_view, 5> kGroups = {"", "apps", "batch", "autoscaling",
                                                       "policy"};
  return std::find(kGroups.begin(), kGroups.end(), group) != kGroups.end();
}

/// apiVersion and kind of an object, as texts.
struct Header {
  std::string api_version;
  std::string kind;
};

std::string text_of(const YamlNode& map, std::string_view key) {
  const YamlNode* value = find(map, key);
  return value != nullptr && value->kind == YamlNode::Kind::Scalar ? value->text : "";
}

/// A kind of the same group whose name is nearly this one.
std::string similar_kind(const Header& header) {
  std::vector<std::string> names;
  for (const Kind& kind : all_kinds()) {
    if (group_of(kind.versions.front()) == group_of(header.api_version))
      names.emplace_back(kind.name);
  }
  return near_miss(header.kind, names);
}

/// Reads the objects of one tree into a ManifestFile.
class ObjectReader {
 public:
  ObjectReader(const std::string& file, const ManifestOptions& options, ManifestFile& result)
      : options_(options),
        objects_(result.objects),
        reporter_(file, result.diagnostics),
        reader_(reporter_, {Strictness::Manifest, options.partial}) {}

  void read(const YamlNode& node, const Header& inherited = {}) {
    if (node.kind == YamlNode::Kind::List) return read_all(node, inherited);
    if (node.kind != YamlNode::Kind::Map) {
      return report(
          node.line, "",
          "expected a Kubernetes object with apiVersion and kind, found " + describe(node));
    }
    Header header{text_of(node, "apiVersion"), text_of(node, "kind")};
    if (header.api_version.empty()) header.api_version = inherited.api_version;
    if (header.kind.empty()) header.kind = inherited.kind;
    if (!check_header(node, header)) return;
    const YamlNode* items = find(node, "items");
    if (header.kind.ends_with("List") && (items != nullptr || header.kind == "List")) {
      return read_list(node, items, header);
    }
    if (const Kind* kind = find_kind(header.api_version, header.kind)) {
      read_object(node, *kind, header);
    } else {
      refuse_kind(node, header);
    }
  }

 private:
  /// A path below the place of the objects.
  [[nodiscard]] std::string at(const std::string& path) const {
    if (options_.path.empty() || path.empty()) return options_.path + path;
    return options_.path + "." + path;
  }

  void report(int line, const std::string& path, std::string message,
              Severity severity = Severity::Error) {
    reporter_.report(line, at(path), std::move(message), severity);
  }

  void read_all(const YamlNode& list, const Header& inherited) {
    for (const YamlRef& item : list.items) read(*item, inherited);
  }

  /// `List` says nothing of its items; `PodList` says what they are.
  void read_list(const YamlNode& node, const YamlNode* items, const Header& header) {
    if (items == nullptr || items->kind == YamlNode::Kind::Null) return;
    if (items->kind != YamlNode::Kind::List) {
      return report(items->line, "items", "expected a list, found " + describe(*items));
    }
    Header inherited;
    if (header.kind != "List") {
      inherited = {header.api_version,
                   header.kind.substr(0, header.kind.size() - std::string_view("List").size())};
    }
    for (const YamlEntry& entry : node.entries) {
      const bool known = entry.key == "items" || entry.key == "metadata" ||
                         entry.key == "apiVersion" || entry.key == "kind";
      if (!known) reporter_.warn_once(entry.line, at(entry.key), "read, not modelled");
    }
    read_all(*items, inherited);
  }

  bool check_header(const YamlNode& node, const Header& header) {
    for (const auto& [name, value] :
         {std::pair{"apiVersion", &header.api_version}, std::pair{"kind", &header.kind}}) {
      if (!value->empty()) continue;
      const std::string beside = near_miss_of(node, name);
      report(node.line, name,
             "is missing, expected a Kubernetes object" +
                 (beside.empty() ? "" : ": did you mean it by \"" + beside + "\"?"));
      return false;
    }
    if (group_of(header.api_version) != "troupe") return true;
    report(line_of(node, "kind"), "kind",
           "found a " + header.kind + " of troupe, expected a Kubernetes object");
    return false;
  }

  /// The key of the map that is nearly `name`.
  static std::string near_miss_of(const YamlNode& node, const std::string& name) {
    const auto at =
        std::find_if(node.entries.begin(), node.entries.end(),
                     [&](const YamlEntry& entry) { return is_near_miss(entry.key, name); });
    return at != node.entries.end() ? at->key : "";
  }

  void refuse_kind(const YamlNode& node, const Header& header) {
    const std::string name = header.kind + " of " + header.api_version;
    if (const std::string meant = similar_kind(header); !meant.empty() && meant != header.kind) {
      return report(line_of(node, "kind"), "kind",
                    "unknown kind \"" + header.kind + "\", did you mean \"" + meant + "\"?");
    }
    const Kind* namesake = find_kind(header.kind);
    if (namesake == nullptr) return warn(node, name + " is read, not modelled");
    const std::string_view group = group_of(header.api_version);
    const std::string_view right = group_of(namesake->versions.front());
    const bool slip = group != right && (is_builtin_group(group) || is_near_miss(group, right));
    if (!slip) return warn(node, name + " is read, not modelled: " + preferred(*namesake) + " is");
    report(line_of(node, "apiVersion"), "apiVersion",
           "found \"" + header.api_version + "\", expected \"" + preferred(*namesake) +
               "\" for a " + header.kind);
  }

  void warn(const YamlNode& node, const std::string& message) {
    report(node.line, "kind", message, Severity::Warning);
  }

  void read_object(const YamlNode& node, const Kind& kind, const Header& header) {
    Manifest manifest{std::unique_ptr<google::protobuf::Message>(kind.prototype->New()), &kind,
                      reporter_.file(), node.line};
    const std::size_t cleared = reader_.cleared().size();
    reader_.read(node, *manifest.object, options_.path);
    const auto& type = *kind.prototype->GetDescriptor();
    const auto& reflection = *manifest.object->GetReflection();
    reflection.SetString(manifest.object.get(), type.FindFieldByName("api_version"),
                         header.api_version);
    reflection.SetString(manifest.object.get(), type.FindFieldByName("kind"), header.kind);
    for (std::size_t i = cleared; i < reader_.cleared().size(); ++i) {
      manifest.cleared.push_back(reader_.cleared()[i].substr(at("x").size() - 1));
    }
    if (std::find(kInert.begin(), kInert.end(), header.kind) != kInert.end()) {
      warn(node, header.kind + " is kept, and nothing acts on it yet");
    }
    check_name(node, *manifest.object);
    objects_.push_back(std::move(manifest));
  }

  void check_name(const YamlNode& node, const google::protobuf::Message& object) {
    const k8s::ObjectMeta& meta = meta_of(object);
    if (meta.name().empty()) {
      const bool nameless = !options_.partial && meta.generate_name().empty();
      if (nameless) report(node.line, "metadata.name", "is required and missing");
      return;
    }
    if (is_dns_subdomain(meta.name())) return;
    report(line_of(node, "metadata.name"), "metadata.name",
           "expected lower-case letters, digits, '-' and '.', found \"" + meta.name() + "\"");
  }

  ManifestOptions options_;
  std::vector<Manifest>& objects_;
  Reporter reporter_;
  MessageReader reader_;
};

}  // namespace

ManifestFile read_manifests(std::string_view text, const std::string& file,
                            const ManifestOptions& options) {
  ManifestFile result;
  YamlFile parsed = parse_yaml(text, file);
  result.diagnostics = std::move(parsed.diagnostics);
  if (parsed.documents.empty() && result.diagnostics.empty()) {
    result.diagnostics.push_back(
        {file, 0, "", "found no object, expected at least one Kubernetes object"});
  }
  ObjectReader reader(file, options, result);
  for (const YamlRef& document : parsed.documents) reader.read(*document);
  if (options.strict) promote_warnings(result.diagnostics);
  return result;
}

ManifestFile load_manifests(const std::string& file, const ManifestOptions& options) {
  const Result<std::string> text = read_text_file(file);
  if (text) return read_manifests(*text, file, options);
  ManifestFile result;
  result.diagnostics.push_back({file, 0, "", text.error().message});
  return result;
}

void read_objects(const YamlNode& node, const std::string& file, const ManifestOptions& options,
                  ManifestFile& result) {
  ObjectReader(file, options, result).read(node);
  if (options.strict) promote_warnings(result.diagnostics);
}

}  // namespace troupe::manifests

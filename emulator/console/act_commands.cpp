#include "emulator/console/act_commands.h"

#include <charconv>

#include "emulator/config/inputs.h"
#include "emulator/console/command_line.h"
#include "emulator/console/resources.h"
#include "emulator/console/work_builder.h"
#include "emulator/manifests/manifest_reader.h"
#include "messages/k8s/core.pb.h"

namespace troupe::console {
namespace {

tl::unexpected<Answer> no(Answer why) {
  return tl::unexpected<Answer>(std::move(why));
}

const std::vector<OptionSpec> kFileOptions = {{'f', "filename"}, {'n', "namespace"}};

// The objects of the files that came with the command.
tl::expected<std::vector<Payload>, Answer> objects_of_files(const ActContext& context,
                                                            const std::string& name_space) {
  std::vector<Payload> objects;
  for (const auto& [name, text] : context.files) {
    manifests::ManifestFile file = manifests::read_manifests(text, name);
    if (manifests::has_errors(file.diagnostics)) {
      return no(refused(manifests::to_string(file.diagnostics)));
    }
    for (manifests::Manifest& manifest : file.objects) {
      k8s::ObjectMeta& meta = *mutable_meta(*manifest.object);
      if (manifest.kind->namespaced && meta.namespace_().empty()) meta.set_namespace_(name_space);
    }
    for (config::ManifestObject& one : config::objects_of(std::move(file.objects))) {
      objects.push_back(std::move(one.object));
    }
  }
  if (objects.empty()) return no(refused("the file holds no object of a modelled kind"));
  return objects;
}

api::ObjectKey key_for(const ObjectName& name) {
  api::ObjectKey key;
  key.set_kind(std::string(name.kind->name));
  const std::size_t slash = name.key.find('/');
  if (slash != std::string::npos) key.set_namespace_(name.key.substr(0, slash));
  key.set_name(slash == std::string::npos ? name.key : name.key.substr(slash + 1));
  return key;
}

api::ObjectKey key_for(const Payload& object) {
  const k8s::ObjectMeta& meta = meta_of(object.message());
  api::ObjectKey key;
  key.set_kind(std::string(find_kind(*object.message().GetDescriptor())->name));
  key.set_namespace_(meta.namespace_());
  key.set_name(meta.name());
  return key;
}

// "deploy web db", "deploy/web pod/x": every object that is named.
tl::expected<std::vector<ObjectName>, Answer> names_of(const ActContext& context,
                                                       const CommandLine& line, const char* usage) {
  std::vector<ObjectName> names;
  const std::string name_space = line.get("namespace", "default");
  const std::vector<std::string>& words = line.arguments;
  if (words.empty()) return no(bad_usage(usage));
  const bool slashes = words.front().find('/') != std::string::npos;
  for (std::size_t i = slashes ? 0 : 1; i < words.size(); ++i) {
    const Result<ObjectName> name = slashes ? object_name({words[i]}, name_space)
                                            : object_name({words.front(), words[i]}, name_space);
    if (!name) return no(bad_usage(name.error().message + "\n" + usage));
    if (context.run.view.find(name->kind->name, name->key) == nullptr) {
      return no(refused(std::string(name->kind->plural) + " \"" + name->key + "\" not found"));
    }
    names.push_back(*name);
  }
  if (names.empty()) return no(bad_usage(usage));
  return names;
}

tl::expected<std::string, Answer> node_of(const ActContext& context, const CommandLine& line,
                                          const char* usage) {
  if (line.arguments.empty()) return no(bad_usage(usage));
  std::string name = line.arguments.back();
  if (name.starts_with("node/")) name.erase(0, 5);
  if (context.run.view.find("Node", name) == nullptr) {
    return no(refused("nodes \"" + name + "\" not found"));
  }
  return name;
}

void set_unschedulable(WorkBuilder& work, const std::string& node, bool unschedulable) {
  k8s::Node partial;
  partial.set_api_version("v1");
  partial.set_kind("Node");
  partial.mutable_metadata()->set_name(node);
  partial.mutable_spec()->set_unschedulable(unschedulable);
  work.patch(Payload::of(std::move(partial)));
}

bool is_controlled_by(const k8s::Pod& pod, std::string_view kind) {
  for (const k8s::OwnerReference& owner : pod.metadata().owner_references()) {
    if (owner.controller() && (kind.empty() || owner.kind() == kind)) return true;
  }
  return false;
}

}  // namespace

ActResult apply_objects(const ActContext& context, const std::vector<std::string>& words) {
  const char* usage = "usage: apply -f FILE [-n NAMESPACE]";
  const Result<CommandLine> line = parse_words(words, kFileOptions);
  if (!line) return no(bad_usage(line.error().message + "\n" + usage));
  if (context.files.empty() || !line->arguments.empty()) return no(bad_usage(usage));
  const auto objects = objects_of_files(context, line->get("namespace", "default"));
  if (!objects) return no(objects.error());
  WorkBuilder work(context);
  for (const Payload& object : *objects) work.apply(object);
  return work.finish("applied");
}

ActResult delete_objects(const ActContext& context, const std::vector<std::string>& words) {
  const char* usage = "usage: delete KIND NAME... [-n NAMESPACE], or delete -f FILE";
  const Result<CommandLine> line = parse_words(words, kFileOptions);
  if (!line) return no(bad_usage(line.error().message + "\n" + usage));
  WorkBuilder work(context);
  if (!context.files.empty()) {
    const auto objects = objects_of_files(context, line->get("namespace", "default"));
    if (!objects) return no(objects.error());
    for (const Payload& object : *objects) work.remove(key_for(object));
    return work.finish("deleted");
  }
  const auto names = names_of(context, *line, usage);
  if (!names) return no(names.error());
  for (const ObjectName& name : *names) work.remove(key_for(name));
  return work.finish("deleted");
}

ActResult scale(const ActContext& context, const std::vector<std::string>& words) {
  const char* usage = "usage: scale KIND NAME... --replicas N [-n NAMESPACE]";
  const Result<CommandLine> line = parse_words(words, {{'n', "namespace"}, {0, "replicas"}});
  if (!line) return no(bad_usage(line.error().message + "\n" + usage));
  const std::string text = line->get("replicas");
  std::int64_t replicas = -1;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), replicas);
  if (error != std::errc() || end != text.data() + text.size() || replicas < 0 ||
      replicas > 1'000'000) {
    return no(bad_usage(usage));
  }
  const auto names = names_of(context, *line, usage);
  if (!names) return no(names.error());
  WorkBuilder work(context);
  for (const ObjectName& name : *names) {
    const std::string_view kind = name.kind->name;
    if (kind != "Deployment" && kind != "ReplicaSet" && kind != "StatefulSet" &&
        kind != "LeaderWorkerSet") {
      return no(refused(std::string(kind) + " cannot be scaled"));
    }
    work.scale(*name.kind, key_for(name), replicas);
  }
  return work.finish("scaled");
}

ActResult cordon(const ActContext& context, const std::vector<std::string>& words,
                 bool unschedulable) {
  const char* usage = unschedulable ? "usage: cordon NODE" : "usage: uncordon NODE";
  const Result<CommandLine> line = parse_words(words, {});
  if (!line) return no(bad_usage(line.error().message + "\n" + usage));
  const auto node = node_of(context, *line, usage);
  if (!node) return no(node.error());
  WorkBuilder work(context);
  set_unschedulable(work, *node, unschedulable);
  return work.finish(unschedulable ? "cordoned" : "uncordoned");
}

ActResult drain(const ActContext& context, const std::vector<std::string>& words) {
  const char* usage = "usage: drain NODE [--ignore-daemonsets] [--force] [--delete-emptydir-data]";
  const Result<CommandLine> line = parse_words(
      words,
      {{0, "ignore-daemonsets", false}, {0, "force", false}, {0, "delete-emptydir-data", false}});
  if (!line) return no(bad_usage(line.error().message + "\n" + usage));
  const auto node = node_of(context, *line, usage);
  if (!node) return no(node.error());
  WorkBuilder work(context);
  set_unschedulable(work, *node, true);
  for (const auto& [key, object] : context.run.view.objects("Pod")) {
    const auto& pod = *object.as<k8s::Pod>();
    if (pod.spec().node_name() != *node || pod.metadata().has_deletion_timestamp()) continue;
    if (is_controlled_by(pod, "DaemonSet")) {
      if (line->has("ignore-daemonsets")) continue;
      return no(refused(
          "cannot delete DaemonSet-managed Pods (use --ignore-daemonsets to ignore): " + key));
    }
    const bool ended = pod.status().phase() == "Succeeded" || pod.status().phase() == "Failed";
    if (!ended && !is_controlled_by(pod, "") && !line->has("force")) {
      return no(refused(
          "cannot delete Pods that declare no controller (use --force to override): " + key));
    }
    work.evict(key_for(object));
  }
  return work.finish("drained");
}

}  // namespace troupe::console

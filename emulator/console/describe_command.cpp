#include "emulator/console/command_line.h"
#include "emulator/console/read_commands.h"
#include "emulator/console/resources.h"
#include "emulator/manifests/yaml_emitter.h"
#include "messages/k8s/core.pb.h"
#include "messages/labels.h"
#include "messages/timestamp.h"

namespace troupe::console {
namespace {

constexpr const char* kDescribeUsage = "usage: describe KIND NAME [-n NAMESPACE]";
constexpr std::size_t kLabelColumn = 14;

std::string field(const std::string& name, const std::string& value) {
  std::string text = name + ":";
  text.resize(std::max(text.size() + 1, kLabelColumn), ' ');
  return text + (value.empty() ? "<none>" : value) + "\n";
}

std::string pairs(const std::string& name, const LabelMap& labels) {
  std::string text;
  for (const k8s::KeyValue& one : labels) {
    const std::string value = one.key() + "=" + one.value();
    text += text.empty() ? field(name, value) : std::string(kLabelColumn, ' ') + value + "\n";
  }
  return text.empty() ? field(name, "") : text;
}

std::string indented(const std::string& text) {
  std::string result;
  bool at_start = true;
  for (const char c : text) {
    if (at_start && c != '\n') result += "  ";
    at_start = c == '\n';
    result += c;
  }
  return result;
}

// The pods of a node with what they ask for, as kubectl lists them.
std::string pods_of_node(const RunView& run, const std::string& node) {
  Table table{{"NAMESPACE", "NAME", "STATUS", "GPU", "AGE"}, {}};
  for (const auto& [key, object] : run.view.objects("Pod")) {
    const auto& pod = *object.as<k8s::Pod>();
    if (pod.spec().node_name() != node) continue;
    Quantity gpus;
    for (const k8s::Container& container : pod.spec().containers()) {
      gpus += amount_of(container.resources().limits(), "nvidia.com/gpu");
    }
    table.rows.push_back({pod.metadata().namespace_(), pod.metadata().name(), pod_status(pod),
                          gpus.to_string(),
                          age_text(to_ns(run.now) - pod.metadata().creation_timestamp())});
  }
  if (table.rows.empty()) return field("Pods", "");
  return "Pods:\n" + indented(print_table(table));
}

std::string events_text(const RunView& run, const std::vector<Note>& notes) {
  if (notes.empty()) return field("Events", "");
  Table table{{"Type", "Reason", "Age", "From", "Message"}, {}};
  for (const Note& note : notes) {
    std::string age = age_text((run.now - note.last).count());
    if (note.count > 1) {
      age += " (x" + std::to_string(note.count) + " over " +
             age_text((run.now - note.first).count()) + ")";
    }
    table.rows.push_back({note.type, note.reason, age, note.source, note.message});
  }
  return "Events:\n" + indented(print_table(table));
}

Json notes_json(const std::vector<Note>& notes) {
  Json list = Json::array();
  for (const Note& note : notes) list.push_back(event_json(note));
  return list;
}

}  // namespace

std::string event_line(const Note& note) {
  return seconds_text(to_ns(note.last)) + "  " + note.type + "  " + note.reason + "  " +
         note.object + "  " + note.message + "\n";
}

Json event_json(const Note& note) {
  return {{"object", note.object},      {"type", note.type},    {"reason", note.reason},
          {"message", note.message},    {"count", note.count},  {"firstNs", to_ns(note.first)},
          {"lastNs", to_ns(note.last)}, {"source", note.source}};
}

Result<ObjectName> object_name(const std::vector<std::string>& words,
                               const std::string& name_space) {
  std::vector<std::string> parts;
  for (const std::string& word : words) {
    std::size_t begin = 0;
    while (true) {
      const std::size_t slash = word.find('/', begin);
      parts.push_back(word.substr(begin, slash - begin));
      if (slash == std::string::npos) break;
      begin = slash + 1;
    }
  }
  if (parts.size() < 2) return fail("expected KIND NAME or KIND/NAME");
  const std::optional<Resource> resource = find_resource(parts.front());
  if (!resource || resource->kind == nullptr) {
    return fail("no kind of object \"" + parts.front() + "\"");
  }
  const Kind* kind = resource->kind;
  const std::size_t most = kind->namespaced ? 3 : 2;
  if (parts.size() > most) return fail("expected KIND NAME or KIND/NAME");
  if (!kind->namespaced) return ObjectName{kind, parts[1]};
  return ObjectName{kind, key_of(parts.size() == 3 ? parts[1] : name_space, parts.back())};
}

Answer describe(const RunView& run, const std::vector<std::string>& words, bool json) {
  const Result<CommandLine> line = parse_words(words, {{'n', "namespace"}});
  if (!line) return bad_usage(line.error().message + "\n" + kDescribeUsage);
  const Result<ObjectName> name = object_name(line->arguments, line->get("namespace", "default"));
  if (!name) return bad_usage(name.error().message + "\n" + kDescribeUsage);
  const Payload* object = run.view.find(name->kind->name, name->key);
  const std::vector<Note> notes = run.view.notes(name->full());
  if (object == nullptr) {
    return refused(std::string(name->kind->plural) + " \"" + name->key + "\" not found");
  }
  const Json tree = object_json(*object);
  Answer answer;
  answer.json = {{"object", tree}, {"events", notes_json(notes)}};
  if (json) {
    answer.text = answer.json.dump(2) + "\n";
    return answer;
  }
  const k8s::ObjectMeta& meta = meta_of(object->message());
  std::string text = field("Name", meta.name());
  if (name->kind->namespaced) text += field("Namespace", meta.namespace_());
  text += field("Kind", std::string(name->kind->name));
  text += pairs("Labels", meta.labels()) + pairs("Annotations", meta.annotations());
  text += field("Created", print_timestamp(from_ns(meta.creation_timestamp())) + " (" +
                               age_text(to_ns(run.now) - meta.creation_timestamp()) + " ago)");
  for (const k8s::OwnerReference& owner : meta.owner_references()) {
    text += field("Controlled By", owner.kind() + "/" + owner.name());
  }
  if (name->kind->name == "Pod") text += field("Status", pod_status(object->message()));
  for (const auto& [key, value] : tree.items()) {
    if (key == "apiVersion" || key == "kind" || key == "metadata") continue;
    std::string title = key;
    title.front() = static_cast<char>(std::toupper(static_cast<unsigned char>(title.front())));
    if (!value.is_structured()) {
      text += field(title, value.is_string() ? value.get<std::string>() : value.dump());
    } else {
      text += title + ":\n" + indented(manifests::emit_yaml(value));
    }
  }
  if (name->kind->name == "Node") text += pods_of_node(run, meta.name());
  answer.text = text + events_text(run, notes);
  return answer;
}

}  // namespace troupe::console

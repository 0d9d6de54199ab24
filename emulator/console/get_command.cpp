#include <algorithm>

#include "emulator/console/command_line.h"
#include "emulator/console/read_commands.h"
#include "emulator/console/resources.h"
#include "emulator/console/virtual_tables.h"
#include "emulator/manifests/json_tree.h"
#include "emulator/manifests/writer.h"
#include "emulator/manifests/yaml_emitter.h"
#include "messages/selector.h"

namespace troupe::console {
namespace {

const std::vector<OptionSpec> kOptions = {{'n', "namespace"}, {'A', "all-namespaces", false},
                                          {'o', "output"},    {'w', "watch", false},
                                          {'l', "selector"},  {0, "no-headers", false}};

constexpr const char* kGetUsage =
    "usage: get RESOURCE [NAME...] [-n NAMESPACE | -A] [-l SELECTOR] [-o wide|json|yaml|name] [-w]";

struct Selected {
  std::string key;
  const Payload* object;
};

struct Question {
  Resource resource;
  CommandLine line;
  std::vector<std::string> names;
  bool wide = false;
  bool all_namespaces = false;
  std::string name_space;
};

Result<Question> read_question(const std::vector<std::string>& words) {
  Result<CommandLine> line = parse_words(words, kOptions);
  if (!line) return fail(line.error().message + "\n" + kGetUsage);
  if (line->arguments.empty()) return fail(kGetUsage);
  Question question;
  std::string word = line->arguments.front();
  question.names.assign(line->arguments.begin() + 1, line->arguments.end());
  if (const std::size_t slash = word.find('/'); slash != std::string::npos) {
    question.names.insert(question.names.begin(), word.substr(slash + 1));
    word.resize(slash);
  }
  const std::optional<Resource> resource = find_resource(word);
  if (!resource) {
    std::string known;
    for (const std::string& name : resource_names()) known += " " + name;
    return fail("no resource \"" + word + "\"; there are" + known);
  }
  question.resource = *resource;
  const std::string output = line->get("output");
  if (!output.empty() && output != "wide" && output != "json" && output != "yaml" &&
      output != "name") {
    return fail("-o is wide, json, yaml or name, found \"" + output + "\"");
  }
  question.wide = output == "wide";
  question.all_namespaces = line->has("all-namespaces");
  question.name_space = line->get("namespace", "default");
  question.line = *std::move(line);
  return question;
}

bool is_named(const std::vector<std::string>& names, const std::string& name) {
  return names.empty() || std::find(names.begin(), names.end(), name) != names.end();
}

Result<std::vector<Selected>> select(const RunView& run, const Question& question) {
  const Kind& kind = *question.resource.kind;
  Result<k8s::LabelSelector> selector = parse_selector(question.line.get("selector"));
  if (!selector) return tl::unexpected(selector.error());
  std::vector<Selected> found;
  for (const auto& [key, object] : run.view.objects(kind.name)) {
    const k8s::ObjectMeta& meta = meta_of(object.message());
    if (kind.namespaced && !question.all_namespaces && meta.namespace_() != question.name_space)
      continue;
    if (!is_named(question.names, meta.name())) continue;
    if (question.line.has("selector") && !matches(*selector, meta.labels())) continue;
    found.push_back({key, &object});
  }
  return found;
}

Table object_table(const RunView& run, const Question& question,
                   const std::vector<Selected>& objects) {
  const Kind& kind = *question.resource.kind;
  const bool with_namespace = kind.namespaced && question.all_namespaces;
  Table table;
  if (with_namespace) table.head.push_back("NAMESPACE");
  const bool with_name = kind.name != "Event";  // kubectl shows what an event is about instead
  if (with_name) table.head.push_back("NAME");
  for (std::string& title : titles_of(kind, question.wide)) table.head.push_back(std::move(title));
  for (const Selected& one : objects) {
    const k8s::ObjectMeta& meta = meta_of(one.object->message());
    std::vector<std::string> row;
    if (with_namespace) row.push_back(meta.namespace_());
    if (with_name) row.push_back(meta.name());
    for (std::string& cell : cells_of(kind, one.object->message(), question.wide, run.scene())) {
      row.push_back(std::move(cell));
    }
    table.rows.push_back(std::move(row));
  }
  return table;
}

Json list_json(const std::vector<Selected>& objects, bool single) {
  Json items = Json::array();
  for (const Selected& one : objects) items.push_back(object_json(*one.object));
  if (single && items.size() == 1) return items.front();
  return {{"apiVersion", "v1"}, {"kind", "List"}, {"items", std::move(items)}};
}

Answer nothing_found(const Question& question) {
  if (!question.names.empty()) {
    std::string names;
    for (const std::string& name : question.names) names += " \"" + name + "\"";
    return refused(question.resource.name + names + " not found");
  }
  const bool one_namespace = question.resource.kind != nullptr &&
                             question.resource.kind->namespaced && !question.all_namespaces;
  return {control::Reply::OK,
          one_namespace ? "No resources found in " + question.name_space + " namespace.\n"
                        : std::string("No resources found\n"),
          question.resource.kind == nullptr ? Json::array() : list_json({}, false)};
}

// What has no object has rows only.
Answer virtual_answer(const RunView& run, const Question& question, bool json) {
  Table table = virtual_table(run, question.resource.name, question.wide);
  std::erase_if(table.rows,
                [&](const auto& row) { return !is_named(question.names, row.front()); });
  if (table.rows.empty()) return nothing_found(question);
  Answer answer;
  answer.json = table_json(table);
  const std::string output = question.line.get("output");
  if (output == "yaml") {
    answer.text = manifests::emit_yaml(answer.json);
  } else if (output == "json" || json) {
    answer.text = answer.json.dump(2) + "\n";
  } else {
    answer.text = print_table(table);
  }
  return answer;
}

std::string names_text(const Kind& kind, const std::vector<Selected>& objects) {
  std::string text;
  for (const Selected& one : objects) {
    text += kubectl_name(kind, meta_of(one.object->message()).name()) + "\n";
  }
  return text;
}

}  // namespace

// An object in the store may leave out what its type says anyway.
Json object_json(const Payload& object) {
  const Kind& kind = *find_kind(*object.message().GetDescriptor());
  Json json = {{"apiVersion", kind.versions.front()}, {"kind", kind.name}};
  json.update(manifests::json_tree(object.message()));
  return json;
}

Answer get(const RunView& run, const std::vector<std::string>& words, bool json) {
  const Result<Question> question = read_question(words);
  if (!question) return bad_usage(question.error().message);
  if (question->resource.kind == nullptr) return virtual_answer(run, *question, json);
  const Result<std::vector<Selected>> objects = select(run, *question);
  if (!objects) return bad_usage(objects.error().message);
  if (objects->empty()) return nothing_found(*question);
  const bool single = question->names.size() == 1;
  const std::string output = question->line.get("output");
  Answer answer;
  if (json || output == "json") {
    answer.json = list_json(*objects, single);
    answer.text = answer.json.dump(2) + "\n";
  } else if (output == "yaml") {
    answer.text = manifests::emit_yaml(list_json(*objects, single));
  } else if (output == "name") {
    answer.text = names_text(*question->resource.kind, *objects);
  } else {
    answer.text = print_table(object_table(run, *question, *objects));
  }
  return answer;
}

std::optional<Table> get_table(const RunView& run, const std::vector<std::string>& words,
                               bool& wants_watch) {
  const Result<Question> question = read_question(words);
  wants_watch = question && question->line.has("watch");
  if (!wants_watch) return std::nullopt;
  if (question->resource.kind == nullptr) {
    return virtual_table(run, question->resource.name, question->wide);
  }
  const Result<std::vector<Selected>> objects = select(run, *question);
  if (!objects) return std::nullopt;
  return object_table(run, *question, *objects);
}

}  // namespace troupe::console

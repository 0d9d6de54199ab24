#include "emulator/checks/selection.h"

#include <algorithm>

#include "messages/kinds.h"
#include "messages/labels.h"

namespace troupe::checks {
namespace {

Result<void> parse_labels(const std::string& text, Selection& selection) {
  std::size_t begin = 0;
  while (begin <= text.size()) {
    const std::size_t end = std::min(text.find(',', begin), text.size());
    const std::string pair = text.substr(begin, end - begin);
    const std::size_t equals = pair.find('=');
    if (equals == std::string::npos || equals == 0) {
      return fail("expected ?label=value[,label=value...], found '?" + text + "'");
    }
    selection.labels.emplace_back(pair.substr(0, equals), pair.substr(equals + 1));
    begin = end + 1;
  }
  return {};
}

}  // namespace

bool Selection::matches(const google::protobuf::Message& object) const {
  const k8s::ObjectMeta& meta = meta_of(object);
  if (!namespace_name.empty()) {
    const std::string name =
        meta.namespace_().empty() ? meta.name() : meta.namespace_() + "/" + meta.name();
    if (name != namespace_name) return false;
  }
  return std::all_of(labels.begin(), labels.end(), [&meta](const auto& wanted) {
    const std::string* value = find_label(meta.labels(), wanted.first);
    return value != nullptr && *value == wanted.second;
  });
}

Result<Selection> parse_selection(const std::string& text) {
  Selection selection;
  if (text == "summary") {
    selection.summary = true;
    return selection;
  }
  const std::size_t question = text.find('?');
  const std::string object = text.substr(0, question);
  const std::size_t slash = object.find('/');
  selection.kind = object.substr(0, slash);
  const Kind* kind = find_kind(selection.kind);
  if (kind == nullptr) {
    return fail("unknown kind '" + selection.kind +
                "': expected `summary` or KIND[/NAMESPACE/NAME][?label=value]");
  }
  if (slash != std::string::npos) selection.namespace_name = object.substr(slash + 1);
  const auto slashes =
      std::count(selection.namespace_name.begin(), selection.namespace_name.end(), '/');
  if (slash != std::string::npos && slashes != (kind->namespaced ? 1 : 0)) {
    return fail(kind->namespaced ? "expected " + selection.kind + "/NAMESPACE/NAME"
                                 : "expected " + selection.kind + "/NAME");
  }
  if (question != std::string::npos) {
    if (const Result<void> parsed = parse_labels(text.substr(question + 1), selection); !parsed) {
      return tl::unexpected(parsed.error());
    }
  }
  return selection;
}

}  // namespace troupe::checks

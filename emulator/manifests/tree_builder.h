// Builds our tree from a parser's events, and refuses what is legal YAML but no legal file: keys
// given twice, keys that are not words, bottomless nesting, bombs of aliases, templates that were
// not rendered.
#pragma once

#include <map>
#include <memory>
#include <stdexcept>
#include <string>
#include <vector>

#include <yaml-cpp/eventhandler.h>

#include "emulator/manifests/reporter.h"
#include "emulator/manifests/yaml_node.h"

namespace troupe::manifests {

/// Ends the parse of a file: what follows would not make sense.
class StopParsing : public std::runtime_error {
 public:
  StopParsing(int at_line, const std::string& message)
      : std::runtime_error(message), line(at_line) {}
  int line;
};

/// A place in a file.
struct Place {
  int line = 0;    ///< from 1; 0: nowhere
  int column = 0;  ///< bytes before it on its line

  friend bool operator==(const Place&, const Place&) = default;
};

class TreeBuilder final : public YAML::EventHandler {
 public:
  explicit TreeBuilder(Reporter& reporter) : reporter_(reporter) {}

  /// The document that was just parsed; null if it was empty.
  [[nodiscard]] YamlRef take_document();
  /// Where the document that was just parsed began.
  [[nodiscard]] Place document_start() const { return document_start_; }

  /// Where the last scalar began, if it was not a plain one.
  [[nodiscard]] Place last_quoted() const { return last_quoted_; }

  void OnDocumentStart(const YAML::Mark& mark) override;
  void OnDocumentEnd() override {}
  void OnNull(const YAML::Mark& mark, YAML::anchor_t anchor) override;
  void OnAlias(const YAML::Mark& mark, YAML::anchor_t anchor) override;
  void OnScalar(const YAML::Mark& mark, const std::string& tag, YAML::anchor_t anchor,
                const std::string& value) override;
  void OnSequenceStart(const YAML::Mark& mark, const std::string& tag, YAML::anchor_t anchor,
                       YAML::EmitterStyle::value style) override;
  void OnSequenceEnd() override { close(); }
  void OnMapStart(const YAML::Mark& mark, const std::string& tag, YAML::anchor_t anchor,
                  YAML::EmitterStyle::value style) override;
  void OnMapEnd() override { close(); }

 private:
  /// A list or map whose end has not come yet.
  struct Open {
    std::shared_ptr<YamlNode> node;
    YAML::anchor_t anchor = 0;
    bool has_key = false;
    std::string key = {};
    int key_line = 0;
    bool key_is_merge = false;
    std::vector<YamlRef> merges = {};  ///< values of the merge key `<<`
  };

  [[nodiscard]] bool wants_key() const;
  void open(YamlNode::Kind kind, int line, YAML::anchor_t anchor);
  void close();
  void add(YamlRef node);
  void take_key(const YamlNode& node, int line);
  void remember(YAML::anchor_t anchor, const YamlRef& node);
  void apply_merges(Open& map);
  void refuse_duplicates(const YamlNode& map);
  void count(std::uint32_t nodes, int line);

  Reporter& reporter_;
  std::vector<Open> stack_;
  std::map<YAML::anchor_t, YamlRef> anchors_;
  YamlRef root_;
  std::uint64_t nodes_ = 0;  ///< in the file so far, aliases expanded
  Place document_start_;
  Place last_quoted_;
};

}  // namespace troupe::manifests

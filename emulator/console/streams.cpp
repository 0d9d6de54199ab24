#include "emulator/console/streams.h"

#include <algorithm>

namespace troupe::console {
namespace {

// The age changes with every moment: it is not news.
std::vector<std::string> without_age(const Table& table, const std::vector<std::string>& row) {
  std::vector<std::string> kept;
  for (std::size_t i = 0; i < row.size(); ++i) {
    if (table.head[i] != "AGE" && table.head[i] != "TIME" && table.head[i] != "MESSAGES") {
      kept.push_back(row[i].substr(0, row[i].find(" (")));  // "1 (6s ago)"
    }
  }
  return kept;
}

std::string name_of(const Table& table, const std::vector<std::string>& row) {
  return table.head.front() == "NAMESPACE" ? row[0] + "/" + row[1] : row[0];
}

// Follows arrive over time, so columns cannot be fitted to what is still to come.
std::string line_of(const std::vector<std::string>& row) {
  constexpr std::size_t kColumn = 12;
  std::string text;
  for (std::size_t i = 0; i < row.size(); ++i) {
    std::string cell = row[i].empty() ? "<none>" : row[i];
    if (i + 1 < row.size())
      cell.resize(std::max(cell.size() + 3, i == 0 ? 3 * kColumn : kColumn), ' ');
    text += cell;
  }
  return text + "\n";
}

}  // namespace

void Streams::follow(const std::string& peer, std::uint64_t id, std::vector<std::string> words,
                     bool json, const RunView& run) {
  streams_.push_back({peer, id, std::move(words), json, run.view.said()});
  Stream& stream = streams_.back();
  if (!send(stream, news(stream, run), true, &run)) streams_.pop_back();
}

void Streams::cancel(const std::string& peer, std::uint64_t id) {
  std::erase_if(streams_, [&](const Stream& one) { return one.peer == peer && one.id == id; });
}

void Streams::restart() {
  for (Stream& stream : streams_) stream.restarted = true;
}

void Streams::end() {
  for (const Stream& stream : streams_) static_cast<void>(send(stream, "", false, nullptr));
  streams_.clear();
}

void Streams::tell(const RunView& run) {
  std::erase_if(streams_, [&](Stream& stream) {
    const std::string text = news(stream, run);
    return !text.empty() && !send(stream, text, true, &run);
  });
}

bool Streams::send(const Stream& stream, const std::string& text, bool more, const RunView* run) {
  control::Reply reply;
  reply.set_id(stream.id);
  reply.set_text(text);
  reply.set_more(more);
  if (run != nullptr) reply.set_now_ns(to_ns(run->now));
  return server_.send(stream.peer, reply);
}

std::string Streams::new_events(Stream& stream, const RunView& run) {
  const std::deque<Note>& recent = run.view.recent();
  const std::uint64_t first = run.view.said() - recent.size();
  std::string text;
  for (std::size_t i = 0; i < recent.size(); ++i) {
    if (first + i < stream.said) continue;
    text += stream.json ? event_json(recent[i]).dump() + "\n" : event_line(recent[i]);
  }
  stream.said = run.view.said();
  // What was said on the way to where a run was rewound to was told before.
  return std::exchange(stream.restarted, false) ? "" : text;
}

std::string Streams::news(Stream& stream, const RunView& run) {
  if (stream.words.empty()) return new_events(stream, run);
  bool watched = false;
  const std::optional<Table> table = get_table(run, stream.words, watched);
  if (!table) return "";
  std::string text;
  if (!stream.json && !std::exchange(stream.headed, true)) text += line_of(table->head);
  std::set<std::string> there;
  for (const auto& row : table->rows) {
    const std::string name = name_of(*table, row);
    there.insert(name);
    std::vector<std::string> cells = without_age(*table, row);
    const auto known = stream.rows.find(name);
    if (known != stream.rows.end() && known->second == cells) continue;
    stream.rows[name] = std::move(cells);
    text += stream.json ? table_json({table->head, {row}}).front().dump() + "\n" : line_of(row);
  }
  for (auto row = stream.rows.begin(); row != stream.rows.end();) {
    if (there.contains(row->first)) {
      ++row;
      continue;
    }
    text +=
        stream.json ? Json{{"deleted", row->first}}.dump() + "\n" : row->first + "   (deleted)\n";
    row = stream.rows.erase(row);
  }
  return text;
}

}  // namespace troupe::console

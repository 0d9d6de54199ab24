#include "emulator/traffic/mooncake_line.h"

#include <chrono>
#include <string>

#include <nlohmann/json.hpp>

#include "emulator/traffic/trace_value.h"

namespace troupe::traffic {
namespace {

using nlohmann::json;

Result<double> number_at(const json& object, const char* key) {
  const auto found = object.find(key);
  if (found == object.end()) return fail("expected the key \"" + std::string(key) + "\"");
  if (!found->is_number()) {
    return fail("\"" + std::string(key) + "\": expected a number, found " +
                found->dump().substr(0, 40));
  }
  return found->get<double>();
}

Result<std::uint32_t> tokens_at(const json& object, const char* key) {
  const Result<double> value = number_at(object, key);
  if (!value) return tl::unexpected(value.error());
  auto tokens = checked_tokens(*value, object[key].dump());
  if (tokens) return tokens;
  return fail("\"" + std::string(key) + "\": " + tokens.error().message);
}

Result<std::vector<std::uint64_t>> blocks_of(const json& object, std::uint32_t prompt_tokens) {
  std::vector<std::uint64_t> blocks;
  const auto ids = object.find("hash_ids");
  if (ids == object.end()) return blocks;
  if (!ids->is_array()) return fail("\"hash_ids\": expected a list of whole numbers");
  const std::size_t most = (prompt_tokens + kMooncakeBlockTokens - 1) / kMooncakeBlockTokens;
  if (ids->size() > most) {
    return fail("\"hash_ids\": expected at most " + std::to_string(most) + " blocks of " +
                std::to_string(kMooncakeBlockTokens) + " tokens for a prompt of " +
                std::to_string(prompt_tokens) + ", found " + std::to_string(ids->size()));
  }
  for (const json& id : *ids) {
    if (!id.is_number_unsigned()) {
      return fail("\"hash_ids\": expected a whole number, found " + id.dump().substr(0, 40));
    }
    blocks.push_back(id.get<std::uint64_t>());
  }
  return blocks;
}

}  // namespace

Result<TraceRow> parse_mooncake_line(std::string_view line) {
  const json object = json::parse(line, nullptr, false);
  if (!object.is_object()) return fail("expected a JSON object on the line");
  const auto timestamp = number_at(object, "timestamp");
  if (!timestamp) return tl::unexpected(timestamp.error());
  const auto at =
      checked_offset(*timestamp, std::chrono::milliseconds(1), object["timestamp"].dump());
  if (!at) return fail("\"timestamp\": " + at.error().message);
  const auto prompt = tokens_at(object, "input_length");
  if (!prompt) return tl::unexpected(prompt.error());
  const auto output = tokens_at(object, "output_length");
  if (!output) return tl::unexpected(output.error());
  auto blocks = blocks_of(object, *prompt);
  if (!blocks) return tl::unexpected(blocks.error());
  return TraceRow{*at, *prompt, *output, std::move(*blocks)};
}

}  // namespace troupe::traffic

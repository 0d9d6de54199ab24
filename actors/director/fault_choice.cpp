#include "actors/director/fault_choice.h"

#include <algorithm>
#include <numeric>

#include <google/protobuf/descriptor.h>

#include "messages/glob.h"

namespace troupe::director {

std::vector<std::size_t> choose(std::size_t candidates, const fault::Target& target,
                                const std::function<std::uint64_t(std::uint64_t)>& bits) {
  std::vector<std::size_t> all(candidates);
  std::iota(all.begin(), all.end(), std::size_t{0});
  if (candidates == 0 || target.mode() == fault::Target::ALL) return all;
  std::size_t wanted = 1;
  if (target.mode() == fault::Target::FIXED) {
    wanted = std::min<std::size_t>(target.count(), candidates);
  } else if (target.mode() == fault::Target::RANDOM) {
    wanted = 1 + uniform_below(bits(0), candidates);
  }
  for (std::size_t i = 0; i < wanted; ++i) {  // the first steps of a Fisher-Yates shuffle
    std::swap(all[i], all[i + uniform_below(bits(i + 1), candidates - i)]);
  }
  all.resize(wanted);
  std::sort(all.begin(), all.end());
  return all;
}

std::string field_of(const google::protobuf::Message& message, const std::string& name) {
  using google::protobuf::FieldDescriptor;
  const google::protobuf::Descriptor& type = *message.GetDescriptor();
  const FieldDescriptor* field = type.FindFieldByCamelcaseName(name);
  if (field == nullptr || field->is_repeated()) return {};
  const google::protobuf::Reflection& values = *message.GetReflection();
  switch (field->cpp_type()) {
    case FieldDescriptor::CPPTYPE_STRING:
      return values.GetString(message, field);
    case FieldDescriptor::CPPTYPE_INT32:
      return std::to_string(values.GetInt32(message, field));
    case FieldDescriptor::CPPTYPE_INT64:
      return std::to_string(values.GetInt64(message, field));
    case FieldDescriptor::CPPTYPE_UINT32:
      return std::to_string(values.GetUInt32(message, field));
    case FieldDescriptor::CPPTYPE_UINT64:
      return std::to_string(values.GetUInt64(message, field));
    case FieldDescriptor::CPPTYPE_BOOL:
      return values.GetBool(message, field) ? "true" : "false";
    case FieldDescriptor::CPPTYPE_ENUM:
      return values.GetEnum(message, field)->name();
    default:
      return {};
  }
}

bool is_met(const fault::Condition& condition, const google::protobuf::Message& message) {
  if (message.GetDescriptor()->name() != condition.fact()) return false;
  return std::all_of(condition.match().begin(), condition.match().end(), [&](const auto& match) {
    const std::string text = field_of(message, match.field());
    return match.value().empty() ? text.empty() : matches_glob(match.value(), text);
  });
}

}  // namespace troupe::director

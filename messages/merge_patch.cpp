#include "messages/merge_patch.h"

#include <algorithm>
#include <string>
#include <vector>

#include <google/protobuf/descriptor.h>

#include "messages/assert.h"
#include "messages/options.pb.h"

namespace troupe {
namespace {

using google::protobuf::Descriptor;
using google::protobuf::FieldDescriptor;
using google::protobuf::Message;
using google::protobuf::Reflection;

bool is_map(const FieldDescriptor& field) {
  return field.is_repeated() && field.cpp_type() == FieldDescriptor::CPPTYPE_MESSAGE &&
         field.options().GetExtension(troupe::map);
}

/// The key of a map's entry: its first field.
std::string key_of(const Message& entry) {
  return entry.GetReflection()->GetString(entry, entry.GetDescriptor()->field(0));
}

/// Among the first `limit` entries of a map, the position of the key or of the first greater one.
int place_of(const Message& owner, const FieldDescriptor& field, const std::string& key,
             int limit) {
  int at = 0;
  while (at < limit && key_of(owner.GetReflection()->GetRepeatedMessage(owner, &field, at)) < key)
    ++at;
  return at;
}

bool has_key(const Message& owner, const FieldDescriptor& field, int at, const std::string& key) {
  return key_of(owner.GetReflection()->GetRepeatedMessage(owner, &field, at)) == key;
}

/// Moves the element at `from` to `to`, shifting those between.
void move_element(Message& owner, const FieldDescriptor& field, int from, int to) {
  for (; from > to; --from) owner.GetReflection()->SwapElements(&owner, &field, from, from - 1);
  for (; from < to; ++from) owner.GetReflection()->SwapElements(&owner, &field, from, from + 1);
}

void remove_element(Message& owner, const FieldDescriptor& field, int at) {
  move_element(owner, field, at, owner.GetReflection()->FieldSize(owner, &field) - 1);
  owner.GetReflection()->RemoveLast(&owner, &field);
}

/// Brings the last `added` entries of a map to their sorted places, each onto the entry of its key
/// if there is one.
void fold_map(Message& owner, const FieldDescriptor& field, int added) {
  const Reflection& reflection = *owner.GetReflection();
  int at = reflection.FieldSize(owner, &field) - added;
  while (at < reflection.FieldSize(owner, &field)) {
    const Message& entry = reflection.GetRepeatedMessage(owner, &field, at);
    const std::string key = key_of(entry);
    const int place = place_of(owner, field, key, at);
    if (place < at && has_key(owner, field, place, key)) {
      merge_patch(*reflection.MutableRepeatedMessage(&owner, &field, place), entry);
      remove_element(owner, field, at);
    } else {
      move_element(owner, field, at++, place);
    }
  }
}

std::vector<const FieldDescriptor*> fields_set(const Message& message) {
  std::vector<const FieldDescriptor*> fields;
  message.GetReflection()->ListFields(message, &fields);
  return fields;
}

bool is_message(const FieldDescriptor& field) {
  return !field.is_repeated() && field.cpp_type() == FieldDescriptor::CPPTYPE_MESSAGE;
}

/// Empties the lists of the target that the patch sets, so that merging replaces instead of
/// appending.
void clear_patched_lists(Message& target, const Message& patch) {
  const Reflection& reflection = *target.GetReflection();
  for (const FieldDescriptor* field : fields_set(patch)) {
    if (field->is_repeated() && !is_map(*field)) {
      reflection.ClearField(&target, field);
    } else if (is_message(*field) && reflection.HasField(target, field)) {
      clear_patched_lists(*reflection.MutableMessage(&target, field),
                          reflection.GetMessage(patch, field));
    }
  }
}

void fold_patched_maps(Message& target, const Message& patch) {
  const Reflection& reflection = *target.GetReflection();
  for (const FieldDescriptor* field : fields_set(patch)) {
    if (is_map(*field)) {
      fold_map(target, *field, reflection.FieldSize(patch, field));
    } else if (is_message(*field)) {
      fold_patched_maps(*reflection.MutableMessage(&target, field),
                        reflection.GetMessage(patch, field));
    }
  }
}

const FieldDescriptor* field_named(const Descriptor& type, std::string_view json_name) {
  for (int i = 0; i < type.field_count(); ++i) {
    if (type.field(i)->json_name() == json_name) return type.field(i);
  }
  return nullptr;
}

void erase_key(Message& owner, const FieldDescriptor& field, const std::string& key) {
  const int size = owner.GetReflection()->FieldSize(owner, &field);
  const int at = place_of(owner, field, key, size);
  if (at < size && has_key(owner, field, at, key)) remove_element(owner, field, at);
}

}  // namespace

void merge_patch(Message& target, const Message& patch) {
  TROUPE_ASSERT(target.GetDescriptor() == patch.GetDescriptor(), "a patch of another type");
  clear_patched_lists(target, patch);
  target.MergeFrom(patch);
  fold_patched_maps(target, patch);
}

Result<void> clear_path(Message& target, std::string_view path) {
  Message* owner = &target;
  for (std::string_view rest = path;;) {
    const std::size_t dot = rest.find('.');
    const std::string_view name = rest.substr(0, dot);
    const FieldDescriptor* field = field_named(*owner->GetDescriptor(), name);
    if (field == nullptr) {
      return fail("\"" + std::string(path) + "\": " + owner->GetDescriptor()->name() +
                  " has no field \"" + std::string(name) + "\"");
    }
    const Reflection& reflection = *owner->GetReflection();
    if (dot == std::string_view::npos) {
      reflection.ClearField(owner, field);
      return {};
    }
    rest.remove_prefix(dot + 1);
    if (is_map(*field)) {
      erase_key(*owner, *field, std::string(rest));
      return {};
    }
    if (!is_message(*field)) {
      return fail("\"" + std::string(path) + "\": \"" + std::string(name) +
                  "\" has no fields of its own");
    }
    if (!reflection.HasField(*owner, field)) return {};
    owner = reflection.MutableMessage(owner, field);
  }
}

}  // namespace troupe

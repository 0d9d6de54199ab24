// Events from one process to another, many in a frame: written straight into it and read out of it,
// since this is what most of a run's frames are.
//
// On the wire it is a wire::Message with a batch, as protobuf writes it.
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "emulator/runtime/virtual_runtime.h"
#include "messages/result.h"

namespace troupe::transport {

class BatchWriter {
 public:
  /// `from`: the process that writes.
  explicit BatchWriter(std::uint32_t from);

  void add(const Departure& departure);
  [[nodiscard]] bool empty() const { return events_ == 0; }
  /// Of the frame so far, in bytes.
  [[nodiscard]] std::size_t size() const { return frame_.size(); }
  /// The whole frame. The writer is empty afterwards.
  [[nodiscard]] std::string take();

 private:
  void begin();

  std::uint32_t from_;
  std::string frame_;
  std::size_t events_ = 0;
};

/// A batch as it came; the events lie in the frame, which lives as long as this.
struct ReceivedBatch {
  std::uint32_t from = 0;
  std::vector<std::string_view> events;
  std::shared_ptr<const void> frame;
};

/// The batch that a message's bytes are; nothing if they are another message, or damaged. The frame
/// is for the caller to add.
[[nodiscard]] std::optional<ReceivedBatch> batch_of(std::string_view message);

/// Fails on bytes that are no event, on an unknown link or class, and on a payload of an unknown
/// type. The bytes are copied.
[[nodiscard]] Result<Departure> decode_event(std::string_view event);

}  // namespace troupe::transport

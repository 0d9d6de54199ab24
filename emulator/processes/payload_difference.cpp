#include "emulator/processes/payload_difference.h"

#include <google/protobuf/util/message_differencer.h>

namespace troupe {

std::string first_difference(const Payload& written, const Payload& replayed) {
  if (written.hash() == replayed.hash()) return {};
  if (written.type_name() != replayed.type_name()) {
    return "a " + written.type_name() + " was written, the replay has a " + replayed.type_name();
  }
  std::string report;
  google::protobuf::util::MessageDifferencer differencer;
  differencer.ReportDifferencesToString(&report);
  if (!differencer.Compare(written.message(), replayed.message())) {
    return written.type_name() + ": " + report.substr(0, report.find('\n'));
  }
  const std::size_t both = std::min(written.attachments().size(), replayed.attachments().size());
  for (std::size_t i = 0; i < both; ++i) {
    const std::string inner = first_difference(written.attachments()[i], replayed.attachments()[i]);
    if (!inner.empty()) return written.type_name() + " with " + inner;
  }
  return written.type_name() + ": " + std::to_string(written.attachments().size()) +
         " attachments were written, the replay has " +
         std::to_string(replayed.attachments().size());
}

}  // namespace troupe

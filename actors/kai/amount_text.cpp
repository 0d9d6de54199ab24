#include "actors/kai/amount_text.h"

namespace troupe::kai {
namespace {}  // namespace

std::string amount_text(Resource resource, std::int64_t amount) {
  if (amount == kUnlimited) return "unlimited";
  // Thousandths of a device, of a core, or of a gigabyte.
  const std::int64_t milli = resource == Resource::Memory ? amount / kBytesPerMegabyte : amount;
  std::string text = std::to_string(milli / kMilli);
  std::string decimals = std::to_string(kMilli + milli % kMilli).substr(1);
  while (!decimals.empty() && decimals.back() == '0') decimals.pop_back();
  if (!decimals.empty()) text += "." + decimals;
  return text;
}

}  // namespace troupe::kai

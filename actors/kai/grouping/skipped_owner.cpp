// Kinds that only wrap others: the next owner below decides, with the wrapper's labels.
#include "actors/kai/grouping/registry.h"

namespace troupe::kai {

Result<Grouping> group_skipped_owner(const GroupingCase& one) {
  const GroupingCase below = one.without_top();
  return plugin_of(below.top())(below);
}

}  // namespace troupe::kai

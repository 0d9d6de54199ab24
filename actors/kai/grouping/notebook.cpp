// A Notebook is interactive work.
#include "actors/kai/grouping/registry.h"

namespace troupe::kai {

Result<Grouping> group_notebook(const GroupingCase& one) {
  return one.one_group(kBuildClass);
}

}  // namespace troupe::kai

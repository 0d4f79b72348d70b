#include "daedalus/node/read_mark.hpp"

#include "daedalus/base/planted_faults.hpp"

namespace daedalus::node {

std::optional<Timestamp> ReadMark::moment_for(const AskedMoment& asked) const {
  if (!asked.at) {
    return std::max(asked.prefix_min, mark_);
  }
  if (*asked.at < mark_ && !asked.is_firm && !is_planted(Fault::kMomentBelowMark)) {
    return std::nullopt;
  }
  return asked.at;
}

}  // namespace daedalus::node

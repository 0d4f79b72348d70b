// What a session keeps between its client's messages, within what all clients of the process may keep together.
#include <fmt/format.h>

#include <utility>

#include "session.hpp"

namespace daedalus::postgres {

uint64_t PgSession::kept_bytes() const {
  const CopyIn* const copy = copy_in();
  const uint64_t copied = copy == nullptr ? 0 : copy->kept_bytes();
  return input_.size() + statements_.bytes() + portals_.parameter_bytes() + group_.bytes() + block_.savepoint_bytes() +
         copied;
}

Result<void> PgSession::reserve(uint64_t bytes) {
  if (kept_.resize(kept_bytes() + bytes)) {
    return {};
  }
  return rejected("53200",
                  fmt::format("out of memory: all clients together may keep {} bytes of prepared statements, "
                              "parameters, and writes that have not been submitted",
                              options_.kept_bytes_max),
                  "end transactions, and close statements and portals that are not needed any longer");
}

Result<uint32_t> PgSession::keep_write(aggregator::CompiledUpdate update) {
  if (auto fits = reserve(update.body.ByteSizeLong()); !fits) {
    return fits.error();
  }
  return group_.add(std::move(update));
}

void PgSession::count_kept() {
  if (const uint64_t bytes = kept_bytes(); bytes != kept_.bytes()) {
    const bool is_message = wanted_frame(awaited_) && input_.size() > options_.limits.input_size_max;
    if (auto fits = reserve(0); !fits && is_message) {
      return fatal(fits.error());
    } else if (!fits) {
      kept_.resize_anyway(bytes);
    }
  }
}

}  // namespace daedalus::postgres

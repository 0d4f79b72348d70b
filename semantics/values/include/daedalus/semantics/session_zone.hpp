// The time zone of a session, as SET TIME ZONE names it.
//
// Decides how a zone is called and whether it is UTC. Refuses to know what it changes: see function_at_zone(),
// cast_at_zone(), parse_text() and format_text().
#pragma once

#include <memory>
#include <string>
#include <string_view>

#include "daedalus/base/result.hpp"
#include "daedalus/semantics/time_zone.hpp"

namespace daedalus::semantics {

class SessionZone {
 public:
  /// A zone of the database in whatever case, a zone as POSIX spells it, or hours east of UTC: -5, 5.5,
  /// INTERVAL '-05:00'. `zones` may be null: then there are UTC and the others. Errors: those of bind_session_zone().
  [[nodiscard]] static Result<std::shared_ptr<const SessionZone>> find(std::string_view name, const TimeZones* zones);

  SessionZone(const SessionZone&) = delete;
  SessionZone& operator=(const SessionZone&) = delete;

  /// As PostgreSQL shows it: as the database spells it, in capitals, or <-05>+05. find() finds the same zone by it.
  [[nodiscard]] const std::string& name() const { return name_; }
  /// Says whether its clocks show what clocks in UTC show, and always did.
  [[nodiscard]] bool is_utc() const { return is_utc_; }
  /// Gives the text that it travels as.
  [[nodiscard]] const std::string& bound() const { return bound_; }
  [[nodiscard]] const BoundZone& zone() const { return zone_; }

 private:
  SessionZone(std::string name, std::string bound);

  std::string name_;
  std::string bound_;
  BoundZone zone_;  ///< Borrows bound_.
  bool is_utc_;
};

}  // namespace daedalus::semantics

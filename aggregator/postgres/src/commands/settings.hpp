// SET, SHOW and RESET read and change PostgreSQL's run-time parameters, as far as clients set them.
//
// Decides which values are honoured. What would change answers and is not honoured is refused by name; nothing is taken
// and ignored that a client could notice. A session keeps only what differs from the defaults.
#pragma once

#include <boost/container/flat_map.hpp>
#include <cstdint>
#include <functional>
#include <memory>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "client_encoding.hpp"
#include "daedalus/base/result.hpp"
#include "daedalus/semantics/date_order.hpp"
#include "daedalus/semantics/interval_style.hpp"
#include "daedalus/semantics/session_zone.hpp"
#include "setting_entry.hpp"
#include "value_format.hpp"

namespace daedalus::postgres {

/// The server that clients are told they speak to.
constexpr std::string_view kServerVersion = "15.0 (Daedalus)";

/// A parameter that clients are told about whenever it changes (ParameterStatus).
using Report = std::pair<std::string, std::string>;

class Settings {
 public:
  /// Most values of parameters with a prefix ("my.name"), which a session may invent.
  static constexpr size_t kCustomMax = 32;
  /// Most bytes of one value.
  static constexpr size_t kValueSizeMax = 1024;

  /// Both outlive this. `zones`: what TimeZone may be; null: UTC and what POSIX spells.
  Settings(std::string_view user, const semantics::TimeZones* zones) : user_(user), zones_(zones) {}

  /// Returns whether clients may name it; any case.
  [[nodiscard]] static bool is_known(std::string_view name);
  /// From now on. Errors: 42704 no such parameter, 22023 no value of it, 55P02 it cannot be changed, 0A000 a value that
  /// is not supported.
  [[nodiscard]] Result<void> set(std::string_view name, std::string_view value);
  /// Sets a value that the client starts with: RESET goes back to it.
  [[nodiscard]] Result<void> start_with(std::string_view name, std::string_view value);
  /// Errors: 42704, 55P02.
  [[nodiscard]] Result<void> reset(std::string_view name);
  void reset_all() { restore(started_with_); }
  /// Errors: 42704.
  [[nodiscard]] Result<std::string> show(std::string_view name) const;
  /// Returns the settings that clients are told about, in PostgreSQL's spelling.
  [[nodiscard]] std::vector<Report> reports() const;
  /// The zone of the session's clocks; null: UTC.
  [[nodiscard]] const std::shared_ptr<const semantics::SessionZone>& zone() const { return zone_; }
  [[nodiscard]] semantics::IntervalStyle interval_style() const { return interval_style_; }
  /// The order in which texts are read as dates.
  [[nodiscard]] semantics::DateOrder date_order() const { return date_order_; }
  /// The encoding of the client's texts.
  [[nodiscard]] ClientEncoding encoding() const { return encoding_; }
  /// How texts show values, and are read.
  [[nodiscard]] ValueStyle value_style() const { return {zone_, interval_style_, date_order_, encoding_}; }
  /// A statement may take so long; 0: any time.
  [[nodiscard]] int64_t statement_timeout_ns() const { return statement_timeout_ns_; }

  /// How long a client may ask for nothing, within a block and outside; 0: as long as it likes.
  [[nodiscard]] int64_t idle_in_block_timeout_ns() const { return idle_in_block_timeout_ns_; }
  [[nodiscard]] int64_t idle_session_timeout_ns() const { return idle_session_timeout_ns_; }

  /// Returns how long a query may compute in a segment; 0: as long as the nodes allow.
  [[nodiscard]] uint32_t compute_ms() const { return compute_ms_; }

  /// The timestamp at which queries are to be answered; 0: the newest.
  [[nodiscard]] uint64_t read_at() const { return read_at_; }
  /// So long ago the aggregator may have heard last which updates are confirmed; 0: any time.
  [[nodiscard]] int64_t freshness_ns() const { return freshness_ns_; }

  /// One of those there are, but for those that a session invents.
  struct Described {
    std::string_view name;  ///< PostgreSQL's spelling.
    std::string_view description;
  };
  /// In the order of their names.
  [[nodiscard]] static std::vector<Described> all();

  /// For ROLLBACK, which takes back what was set in its block, and COMMIT, which takes back SET LOCAL.
  using Values = boost::container::flat_map<std::string, std::string, std::less<>>;
  [[nodiscard]] const Values& values() const { return changed_; }
  void restore(Values values);

 private:
  [[nodiscard]] std::string current(std::string_view key) const;
  /// Sets whose rights hold. Errors: 0A000 another user's.
  [[nodiscard]] Result<void> set_identity(const SettingEntry& entry, std::string_view value);
  /// Keeps beside the texts what others ask for often.
  void learn();

  std::string_view user_;
  const semantics::TimeZones* zones_;
  Values changed_;  ///< By name in lower case.
  Values started_with_;
  int64_t statement_timeout_ns_ = 0;
  int64_t idle_in_block_timeout_ns_ = 0;
  int64_t idle_session_timeout_ns_ = 0;
  uint32_t compute_ms_ = 0;
  uint64_t read_at_ = 0;
  int64_t freshness_ns_ = 0;
  semantics::IntervalStyle interval_style_ = semantics::IntervalStyle::kPostgres;
  semantics::DateOrder date_order_ = semantics::DateOrder::kMonthDayYear;
  ClientEncoding encoding_ = ClientEncoding::kUtf8;
  std::shared_ptr<const semantics::SessionZone> zone_;
};

}  // namespace daedalus::postgres

// Clients of an aggregator as pg_stat_activity and its like show them to one of them.
//
// Decides which columns are told, and what is withheld of other users' clients, as PostgreSQL does. Refuses to know how
// views become of it.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

#include "daedalus/base/units.hpp"

namespace daedalus::postgres {

/// One client. Borrows all texts.
struct ClientActivity {
  uint32_t process_id = 0;
  std::string_view database;
  std::string_view user;
  std::string application_name;
  std::string_view address;  ///< host:port.
  bool is_encrypted = false;
  std::string_view state;  ///< PostgreSQL's word.
  Instant connected{};
  Instant changed{};                      ///< When the state became that.
  std::optional<std::string_view> query;  ///< That runs.
};

/// Appends a JSON object with columns of pg_stat_activity, pg_stat_ssl and pg_stat_gssapi. `epoch_us`: since 1970 when
/// Instants began. `is_told_all`: whoever asks is this user, or an operator.
void append_activity(const ClientActivity& client, int64_t epoch_us, bool is_told_all, std::string& out);

/// Says whether a statement may show clients: it names a view of PostgreSQL's statistics.
[[nodiscard]] bool may_show_clients(std::string_view sql);

}  // namespace daedalus::postgres

// Says whether there is a server for the catalogue, and if not, why.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

namespace daedalus::catalogue {

struct ServerState {
  enum class Kind : uint8_t {
    kOff,       ///< Not configured.
    kMissing,   ///< Its programs are not installed.
    kWaiting,   ///< For the first client of PostgreSQL's protocol.
    kStarting,  ///< Also again, after it has died.
    kRunning,
    kFailed,  ///< It could not be made or started; tried again later.
  };
  Kind kind = Kind::kOff;
  std::string reason;  ///< The reason of kMissing, of kFailed and of a new start.
  std::string socket;  ///< The path of the socket, while the state is kRunning.
  uint32_t table = 0;  ///< The OID of the table, while the state is kRunning.

  friend bool operator==(const ServerState&, const ServerState&) = default;
};

/// "off", "missing", "waiting", "starting", "running", "failed".
[[nodiscard]] std::string_view name_of(ServerState::Kind kind);

}  // namespace daedalus::catalogue

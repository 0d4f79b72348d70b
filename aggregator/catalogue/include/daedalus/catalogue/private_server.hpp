// A private PostgreSQL for the catalogue, kept running: its data made where there are none, its process started, and
// started again when it has died.
//
// Decides when data are made afresh, and how a server is started, judged dead and stopped. All of it happens on one
// thread of its own: programs and disks take their time. Refuses to know what is asked of the server.
#pragma once

#include <functional>
#include <memory>
#include <optional>
#include <string>

#include "daedalus/catalogue/script.hpp"
#include "daedalus/catalogue/server_state.hpp"

namespace daedalus::catalogue {

struct PrivateServerOptions {
  std::string programs;  ///< Folder of postgres, initdb and pg_resetwal.
  /// The folder of the data and the log; made where it is missing. Nobody else may write there.
  std::string directory;
  std::string user;  ///< Whom they run as where this process is root, whom PostgreSQL refuses.
  std::string database;
  Script script;
  bool is_temporary = false;  ///< The directory goes when the server is stopped.
};

/// Returns the reason why these programs cannot run a server, or nothing.
[[nodiscard]] std::optional<std::string> what_is_missing(const std::string& programs);

class PrivateServer {
 public:
  /// The memory that one process of the server may take; a text that makes it take more is refused, 53200.
  static constexpr uint64_t kMemoryMax = 512ull << 20;

  /// `on_state` is called from the private server's thread, with every change.
  PrivateServer(PrivateServerOptions options, std::function<void(const ServerState&)> on_state);
  /// Stops the server.
  ~PrivateServer();
  PrivateServer(const PrivateServer&) = delete;
  PrivateServer& operator=(const PrivateServer&) = delete;

 private:
  class Thread;
  std::unique_ptr<Thread> thread_;
};

}  // namespace daedalus::catalogue

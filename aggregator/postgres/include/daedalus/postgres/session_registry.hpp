// All sessions of PostgreSQL's protocol that one process has: who they are, what comes back for them, and what they
// share: users, the certificate and how many they may be.
//
// Decides which session a cancel request means. Refuses to know sockets, threads and the clock: the process brings
// them, and draws the random numbers.
#pragma once

#include <functional>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <string_view>

#include "daedalus/base/byte_budget.hpp"
#include "daedalus/postgres/connection_limit.hpp"
#include "daedalus/postgres/login_guard.hpp"
#include "daedalus/postgres/session_options.hpp"
#include "daedalus/postgres/session_owner.hpp"
#include "daedalus/postgres/tls_context.hpp"
#include "daedalus/rpc/byte_session.hpp"

namespace daedalus::postgres {

class Descriptions;
class PgSession;

class SessionRegistry {
 public:
  /// `owner` must outlive the registry and its sessions, and `random` be one that nobody can guess.
  SessionRegistry(SessionOptions options, SessionOwner& owner, std::function<uint64_t()> random);
  ~SessionRegistry();
  SessionRegistry(const SessionRegistry&) = delete;
  SessionRegistry& operator=(const SessionRegistry&) = delete;

  /// For rpc::AsioNetwork::listen(). The registry must outlive the sessions it makes.
  [[nodiscard]] std::shared_ptr<rpc::ByteSession> make_session(const rpc::ConnectionInfo& connection, Instant now);
  /// The result of an operation; false when it is no session's. The session is to be woken afterwards, as after the
  /// others that return whether there is one.
  bool on_result(rpc::PeerId session, wire::v1::Result&& result, Instant now);
  bool on_work_done(rpc::PeerId session, uint64_t work, WorkDone done, Instant now);
  bool on_catalogue(rpc::PeerId session, uint64_t work, catalogue::Outcome outcome, Instant now);
  /// The session that was meant, if the key is right; its statement is to be stopped.
  std::optional<rpc::PeerId> cancel(const CancelKey& key, Instant now);
  /// Who may log in from now on; what a session may do follows at its next statement. Null: nobody, but who is trusted.
  void set_users(std::shared_ptr<const Users> users) { guard_.set_users(std::move(users)); }
  /// With what connections that come from now on are encrypted. Null: they are not.
  void set_tls(std::shared_ptr<const TlsContext> tls) { tls_ = std::move(tls); }
  /// The number that the catalogue has for the table: clients are told which columns of an answer are its.
  void set_table_oid(uint32_t oid);
  /// Returns all clients as this session's client may know them, as a JSON array, where its statement may show them;
  /// empty where it does not. `epoch_us`: since 1970 when Instants began. Cost: one pass over all sessions.
  [[nodiscard]] std::string clients_told_to(rpc::PeerId session, std::string_view sql, int64_t epoch_us) const;
  [[nodiscard]] const LoginCounts& login_counts() const { return guard_.counts(); }
  [[nodiscard]] size_t session_count() const { return sessions_.size(); }

 private:
  [[nodiscard]] std::shared_ptr<PgSession> find(rpc::PeerId session) const;
  void drop_gone();

  const SessionOptions options_;
  SessionOwner& owner_;
  const std::unique_ptr<Descriptions> descriptions_;
  const std::function<uint64_t()> random_;
  LoginGuard guard_;
  ConnectionLimit connection_limit_;
  const std::shared_ptr<ByteBudget> kept_;  ///< All sessions share it.
  std::shared_ptr<const TlsContext> tls_;
  std::map<rpc::PeerId, std::weak_ptr<PgSession>> sessions_;  ///< Sessions that are gone leave now and then.
  size_t drop_at_ = 64;                                       ///< So many: time to look which are gone.
  uint32_t last_process_id_ = 0;
};

}  // namespace daedalus::postgres

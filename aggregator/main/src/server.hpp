// Joins the aggregator's core to sockets, threads that compile, and the clock. Decides nothing about operations.
#pragma once

#include <map>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "configuration.hpp"
#include "daedalus/aggregator/core.hpp"
#include "daedalus/catalogue/pool.hpp"
#include "daedalus/catalogue/private_server.hpp"
#include "daedalus/postgres/session_registry.hpp"
#include "daedalus/rpc/asio_network.hpp"
#include "daedalus/time_zones/system_zones.hpp"
#include "daedalus/work_pool/mailbox.hpp"
#include "daedalus/work_pool/work_pool.hpp"
#include "pool_jobs.hpp"
#include "postgres_access.hpp"

namespace daedalus::aggregator {

/// One aggregator process. Everything but the jobs of its pools happens on the thread inside run().
class Server final : public rpc::PeerHandler, public postgres::SessionOwner {
 public:
  /// `descriptors`: how many files the process may open.
  Server(const Configuration& configuration, std::string version, uint64_t descriptors);
  ~Server() override;

  /// Takes the listening address and starts dialling the nodes. Errors: those of rpc::AsioNetwork::listen.
  [[nodiscard]] Result<std::string> listen(const std::string& endpoint);
  /// Listens for clients of PostgreSQL's protocol. Errors: as listen().
  [[nodiscard]] Result<std::string> listen_postgres(const std::string& endpoint);
  /// Serves until asked to stop; operations in flight then have kDrainNs to end.
  void run();

  void on_up(rpc::PeerId peer, const rpc::PeerInfo& info) override;
  void on_down(rpc::PeerId peer, const std::string& reason) override;
  void on_operation(rpc::PeerId peer, wire::v1::Operation&& operation) override;
  void on_result(rpc::PeerId peer, wire::v1::Result&& result) override;
  void on_dial_failed(rpc::LinkId link, const std::string& reason) override;

  void on_session_up(rpc::PeerId session, const rpc::PeerInfo& info) override;
  void on_session_down(rpc::PeerId session, const std::string& reason) override;
  void on_session_operation(rpc::PeerId session, wire::v1::Operation&& operation) override;
  void on_session_work(rpc::PeerId session, postgres::Work&& work) override;
  void on_session_catalogue(rpc::PeerId session, postgres::CatalogueWork&& work) override;
  void on_session_catalogue_abandoned(rpc::PeerId session) override;
  void on_cancel_request(const postgres::CancelKey& key) override;

  static constexpr int64_t kDrainNs = 5 * kSecond;

 private:
  void on_turn_end();
  void on_compiled();
  void on_timer();
  void compile();
  /// Starts those that compile statements and do the work of sessions.
  void start_threads(const Configuration& configuration, const std::shared_ptr<Compiler>& compiler);
  /// Reads, and goes on reading, who may come in by PostgreSQL's protocol.
  void watch_access(const PostgresPaths& paths);
  /// The private PostgreSQL is started when the first client comes.
  void plan_catalogue(const Configuration& configuration);
  void start_catalogue();
  /// Makes the connections that the catalogue's statements need, and gives sessions what became of theirs.
  void serve_catalogue();
  void serve(catalogue::Pool& pool);
  void set_catalogue_state(const catalogue::ServerState& state);
  /// Results of sessions go to them; the network sends the others.
  void give_to_sessions();
  void dial();
  void stop();

  std::map<rpc::LinkId, std::string> links_;          ///< Endpoint of each link, for logs.
  std::map<rpc::LinkId, std::string> dial_failures_;  ///< Last reason logged per link: repetitions are not.
  std::map<rpc::PeerId, std::string> peers_;          ///< Name of each peer, for logs.
  std::shared_ptr<const time_zones::SystemZones> zones_;
  postgres::SessionRegistry registry_;  ///< Outlives the network, which has its sessions.
  catalogue::Pool catalogue_;           ///< As it is.
  catalogue::Pool elsewhere_;           ///< The pool of the catalogue's database without a table.
  std::shared_ptr<ByteBudget> answer_budget_;
  rpc::AsioNetwork network_;
  std::unique_ptr<AggregatorCore> core_;
  Effects effects_;
  Mailbox<CompiledStatement> compiled_{is_update};
  std::vector<CompiledStatement> taken_;  ///< Empty between calls of on_compiled(), but for its memory.
  Instant drain_deadline_ = kNever;
  int64_t epoch_us_ = 0;           ///< Since 1970 when Instants began, for what clients are told of each other.
  bool is_stopping_ = false;       ///< Asked to stop.
  bool is_draining_ = false;       ///< Waiting for operations in flight.
  uint64_t last_session_job_ = 0;  ///< Its ticket.
  /// Last, as those behind it are, so that their threads end first.
  std::unique_ptr<WorkPool<CompileRequest>> compilations_;
  std::unique_ptr<WorkPool<SessionJob>> session_jobs_;
  std::unique_ptr<PostgresAccess> access_;
  std::optional<catalogue::PrivateServerOptions> server_options_;  ///< Until there is one.
  std::unique_ptr<catalogue::PrivateServer> private_server_;
};

}  // namespace daedalus::aggregator

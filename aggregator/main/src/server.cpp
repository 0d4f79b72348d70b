#include "server.hpp"

#include <spdlog/spdlog.h>
#include <unistd.h>

#include <algorithm>
#include <random>
#include <utility>

#include "daedalus/allocator/allocator.hpp"
#include "daedalus/contract/features.hpp"
#include "daedalus/contract/language.hpp"
#include "daedalus/postgres/session_work.hpp"
#include "wall_clock.hpp"

namespace daedalus::aggregator {

namespace {

constexpr uint64_t kClientsMax = 10'000;
/// One large job of a session at a time: a COPY or a large INSERT keeps no more than one thread busy.
constexpr uint32_t kLargeSessionJobsMax = 1;

/// Returns the most clients of PostgreSQL's protocol, where the process may open so many files: the other half is for
/// those who have to be told that there are too many, for the cluster and for itself.
size_t clients_max(uint64_t descriptors) { return std::min(kClientsMax, descriptors / 2); }

rpc::AsioOptions network_options(const Configuration& configuration, const std::string& version, uint64_t descriptors,
                                 std::shared_ptr<ByteBudget> answer_budget) {
  rpc::AsioOptions options;
  options.hello.set_role(wire::v1::ROLE_AGGREGATOR);
  options.hello.set_name(configuration.name);
  options.hello.set_software_version(version);
  options.hello.set_cluster_id(configuration.cluster.cluster_id);
  options.hello.set_schema_fingerprint(configuration.schema->fingerprint);
  options.hello.set_map_version(configuration.map->version);
  contract::announce(kClientHandles, options.hello);
  contract::announce(semantics::Language::own(), options.hello);
  contract::announce_features(options.hello);
  // Answers stop long before it (MergeLimits); a peer that lets so much of the rest wait is too slow.
  options.limits.output_size_max = 128u << 20;
  options.output_budget = std::move(answer_budget);
  options.guests_max = static_cast<uint32_t>(clients_max(descriptors) * 5 / 4);
  return options;
}

AggregatorOptions core_options(const Configuration& configuration, const std::string& version,
                               std::shared_ptr<ByteBudget> answer_budget) {
  AggregatorOptions options;
  options.answer_budget = std::move(answer_budget);
  options.answer_bytes_max = configuration.answer_bytes_max;
  options.name = configuration.name;
  options.version = version;
  options.cluster_id = configuration.cluster.cluster_id;
  options.process_id = static_cast<uint64_t>(getpid());
  options.allocator = allocator_use;
  options.postgres_endpoint = configuration.postgres_listen;
  for (const auto& node : configuration.cluster.nodes) {
    options.endpoints.emplace(node.node, node.endpoint);
  }
  return options;
}

postgres::SessionOptions session_options(const Configuration& configuration, uint64_t descriptors,
                                         std::shared_ptr<const semantics::TimeZones> zones) {
  postgres::SessionOptions options;
  options.database = configuration.schema->table_name;
  options.schema = configuration.schema;
  options.zones = std::move(zones);
  options.map_version = configuration.map->version;
  options.clients_max = clients_max(descriptors);
  options.handles = kClientHandles;
  options.trusts_loopback = configuration.postgres_trusts_loopback;
  options.requires_tls = configuration.postgres_requires_tls;
  options.writes_at_once = configuration.postgres_writes_at_once;
  return options;
}

catalogue::PoolOptions catalogue_pool_options(std::string_view database) {
  catalogue::PoolOptions options;
  options.user = catalogue::kReaderRole;
  options.database = database;
  return options;
}

/// Returns random bits of the kernel's: cancel keys must not be guessed, and ids of submissions must not meet.
uint64_t random_bits() {
  std::random_device device;
  return static_cast<uint64_t>(device()) << 32 | device();
}

}  // namespace

Server::Server(const Configuration& configuration, std::string version, uint64_t descriptors)
    : zones_(std::make_shared<const time_zones::SystemZones>()),
      registry_(session_options(configuration, descriptors, zones_), *this, random_bits),
      catalogue_(catalogue_pool_options(configuration.schema->table_name)),
      elsewhere_(catalogue_pool_options(catalogue::kOtherDatabase)),
      answer_budget_(std::make_shared<ByteBudget>(configuration.answer_bytes)),
      network_(network_options(configuration, version, descriptors, answer_budget_), *this) {
  epoch_us_ = wall_clock_us() - network_.now().ns / kMicrosecond;
  std::map<rpc::LinkId, NodeId> nodes;
  for (const auto& node : configuration.cluster.nodes) {
    const rpc::LinkId link = network_.dial(node.endpoint);
    nodes.emplace(link, node.node);
    links_.emplace(link, node.endpoint);
  }
  spdlog::info("time zones: {}",
               zones_->version().empty()
                   ? std::string("none; the package tzdata is missing, so those with a name are refused")
                   : zones_->version());
  AggregatorOptions options = core_options(configuration, version, answer_budget_);
  options.logins = [this] {
    const postgres::LoginCounts& counts = registry_.login_counts();
    return LoginCounts{counts.accepted, counts.failed, counts.refused};
  };
  options.time_zone_version = zones_->version();
  options.catalogue = [this] {
    const catalogue::ServerState& state = catalogue_.state();
    return CatalogueStatus{std::string(catalogue::name_of(state.kind)), state.reason};
  };
  auto compiler = std::make_shared<Compiler>(configuration.schema, configuration.map, zones_, random_bits);
  core_ = std::make_unique<AggregatorCore>(options, configuration.schema, configuration.map, nodes, compiler);
  start_threads(configuration, compiler);
  watch_access(configuration.postgres_paths);
  plan_catalogue(configuration);
  network_.set_on_turn_end([this] { on_turn_end(); });
  network_.on_stop_signal([this] { stop(); });
}

Server::~Server() = default;

Result<std::string> Server::listen(const std::string& endpoint) { return network_.listen(endpoint); }

Result<std::string> Server::listen_postgres(const std::string& endpoint) {
  return network_.listen(endpoint, [this](const rpc::ConnectionInfo& connection, Instant now) {
    return registry_.make_session(connection, now);
  });
}

void Server::start_threads(const Configuration& configuration, const std::shared_ptr<Compiler>& compiler) {
  compilations_ = std::make_unique<WorkPool<CompileRequest>>(
      configuration.sql_threads, [this, compiler](const CompileRequest& request) {
        if (compiled_.put(aggregator::compile(request, *compiler, wall_clock_us()))) {
          network_.post("compiled statements", [this] { on_compiled(); });
        }
      });
  session_jobs_ = std::make_unique<WorkPool<SessionJob>>(
      kLargeSessionJobsMax, [this, compiler, table = configuration.schema->table_name](const SessionJob& job) {
        auto done = std::make_shared<postgres::WorkDone>(postgres::do_work(job.work, *compiler, table, wall_clock_us));
        network_.post("work of a session", [this, session = job.session, work = job.work.id, done] {
          if (registry_.on_work_done(session, work, std::move(*done), network_.now())) {
            network_.wake(session);
          }
        });
      });
}

void Server::watch_access(const PostgresPaths& paths) {
  access_ = std::make_unique<PostgresAccess>(
      paths, PostgresAccess::Handlers{
                 [this](std::shared_ptr<const postgres::Users> users) {
                   network_.post("users", [this, users = std::move(users)] { registry_.set_users(users); });
                 },
                 [this](std::shared_ptr<const postgres::TlsContext> tls) {
                   network_.post("certificate", [this, tls = std::move(tls)] { registry_.set_tls(tls); });
                 }});
}

void Server::plan_catalogue(const Configuration& configuration) {
  const CatalogueOptions& wanted = configuration.catalogue;
  if (!wanted.is_on || configuration.postgres_listen.empty()) {
    return;
  }
  server_options_ = catalogue::PrivateServerOptions{wanted.programs,
                                                    wanted.directory,
                                                    wanted.user,
                                                    configuration.schema->table_name,
                                                    catalogue::make_script(*configuration.schema),
                                                    wanted.is_temporary};
  const auto missing = catalogue::what_is_missing(wanted.programs);
  using Kind = catalogue::ServerState::Kind;
  set_catalogue_state({missing ? Kind::kMissing : Kind::kWaiting, missing.value_or(""), {}, 0});
  if (!missing) {
    registry_.set_table_oid(catalogue::kTableOid);  // So that the first client is told it, too.
  }
}

void Server::set_catalogue_state(const catalogue::ServerState& state) {
  catalogue_.set_state(state, network_.now());
  elsewhere_.set_state(state, network_.now());
}

void Server::start_catalogue() {
  if (!server_options_) {
    return;
  }
  private_server_ = std::make_unique<catalogue::PrivateServer>(
      std::move(*std::exchange(server_options_, std::nullopt)), [this](const catalogue::ServerState& state) {
        network_.post("the catalogue's state", [this, state] {
          spdlog::info("the catalogue is {}", catalogue::name_of(state.kind));
          set_catalogue_state(state);
          if (state.table > 0) {
            registry_.set_table_oid(state.table);
          }
        });
      });
}

void Server::run() { network_.run(); }

// ---- what the network reports ----

void Server::on_up(rpc::PeerId peer, const rpc::PeerInfo& info) {
  spdlog::info("{} at {} is connected", info.hello.name(), info.address);
  peers_.emplace(peer, fmt::format("{} at {}", info.hello.name(), info.address));
  if (info.link) {
    dial_failures_.erase(*info.link);
  }
  core_->on_up(peer, info, network_.now(), effects_);
}

void Server::on_down(rpc::PeerId peer, const std::string& reason) {
  if (const auto name = peers_.find(peer); name != peers_.end()) {
    spdlog::info("{} is gone: {}", name->second, reason);
    peers_.erase(name);
  }
  core_->on_down(peer, reason, network_.now(), effects_);
}

void Server::on_operation(rpc::PeerId peer, wire::v1::Operation&& operation) {
  core_->on_operation(peer, std::move(operation), network_.now(), effects_);
}

void Server::on_result(rpc::PeerId peer, wire::v1::Result&& result) {
  core_->on_result(peer, std::move(result), network_.now(), effects_);
}

void Server::on_dial_failed(rpc::LinkId link, const std::string& reason) {
  if (std::string& last = dial_failures_[link]; last != reason) {
    last = reason;
    spdlog::warn("cannot connect to {}: {}; trying on", links_[link], reason);
  }
  core_->on_dial_failed(link, reason, effects_);
}

// ---- what sessions of PostgreSQL's protocol want ----

void Server::on_session_up(rpc::PeerId session, const rpc::PeerInfo& info) {
  start_catalogue();
  core_->on_up(session, info, network_.now(), effects_);
}

void Server::on_session_down(rpc::PeerId session, const std::string& reason) {
  on_session_catalogue_abandoned(session);
  core_->on_down(session, reason, network_.now(), effects_);
}

void Server::on_session_catalogue(rpc::PeerId session, postgres::CatalogueWork&& work) {
  std::string clients = registry_.clients_told_to(session, work.statement.sql, epoch_us_);
  if (!clients.empty()) {
    work.statement.settings.emplace_back(catalogue::kSessionsSetting, std::move(clients));
  }
  catalogue::Pool& pool = work.statement.is_elsewhere ? elsewhere_ : catalogue_;
  pool.submit(session, work.id, std::move(work.statement), network_.now());
}

void Server::on_session_catalogue_abandoned(rpc::PeerId session) {
  catalogue_.abandon(session, network_.now());
  elsewhere_.abandon(session, network_.now());
}

void Server::on_session_operation(rpc::PeerId session, wire::v1::Operation&& operation) {
  core_->on_operation(session, std::move(operation), network_.now(), effects_);
}

void Server::on_session_work(rpc::PeerId session, postgres::Work&& work) {
  SessionJob job{session, std::move(work)};
  session_jobs_->submit(tag_of(JobTicket{++last_session_job_}, job), std::move(job));
}

void Server::on_cancel_request(const postgres::CancelKey& key) {
  if (const auto session = registry_.cancel(key, network_.now())) {
    network_.wake(*session);
  }
}

void Server::serve_catalogue() {
  serve(catalogue_);
  serve(elsewhere_);
}

void Server::serve(catalogue::Pool& pool) {
  for (size_t count = pool.take_connects(network_.now()); count > 0; --count) {
    network_.connect_local(
        pool.state().socket,
        [&pool](const rpc::ConnectionInfo& connection, Instant now) { return pool.make_session(connection, now); },
        [this, &pool](const std::string& reason) {
          spdlog::warn("the catalogue's server: {}", reason);
          pool.on_connect_failed(network_.now());
        });
  }
  for (catalogue::Told& told : pool.take_told()) {
    if (registry_.on_catalogue(told.client, told.id, std::move(told.outcome), network_.now())) {
      network_.wake(told.client);
    }
  }
  for (const rpc::PeerId link : pool.take_wakes()) {
    network_.wake(link);
  }
}

void Server::give_to_sessions() {
  if (registry_.session_count() == 0) {
    return;
  }
  for (auto& [peer, result] : effects_.results) {
    if (registry_.on_result(peer, std::move(result), network_.now())) {
      network_.wake(peer);
    }
  }
}

// ---- the end of a turn ----

void Server::on_turn_end() {
  compile();
  dial();
  core_->flush(network_.now(), effects_);
  core_->step(semantics::WorkBudget(merging::kStepUnits), network_, network_.now(), effects_);
  for (const auto& [peer, reason] : effects_.closes) {
    spdlog::warn("closing {}: {}", peers_.contains(peer) ? peers_.at(peer) : "a peer", reason);
  }
  give_to_sessions();
  serve_catalogue();
  network_.send(std::move(effects_));  // Its outbox; empty, but not without memory, afterwards.
  if (is_draining_ && (core_->operations_in_flight() == 0 || network_.now() >= drain_deadline_)) {
    is_draining_ = false;
    drain_deadline_ = kNever;
    network_.shutdown("the aggregator is shutting down");
  }
  const Instant wake_at = std::min({effects_.wake_at, catalogue_.next_deadline(), elsewhere_.next_deadline()});
  network_.arm(std::min(wake_at, drain_deadline_), [this] { on_timer(); });
  if (core_->has_work(network_)) {
    network_.post("answers in progress", [] {});  // The next turn goes on, after a look at the sockets.
  }
}

void Server::on_compiled() {
  if (compiled_.take(taken_)) {
    network_.post("compiled statements", [this] { on_compiled(); });
  }
  for (CompiledStatement& statement : taken_) {
    core_->on_compiled(statement.ticket, std::move(statement.compiled), network_.now(), effects_);
  }
  taken_.clear();
}

void Server::on_timer() {
  core_->on_deadline(network_.now(), effects_);
  catalogue_.on_deadline(network_.now());
  elsewhere_.on_deadline(network_.now());
}

void Server::compile() {
  for (const CompileTicket ticket : std::exchange(effects_.given_up, {})) {
    compilations_->cancel(JobTicket{raw(ticket)});
  }
  for (CompileRequest& request : std::exchange(effects_.compilations, {})) {
    compilations_->submit(tag_of(request), std::move(request));
  }
}

void Server::dial() {
  for (const rpc::LinkId link : std::exchange(effects_.drops, {})) {
    links_.erase(link);
    dial_failures_.erase(link);
    network_.drop_link(link, "another writer has taken over");
  }
  for (const DialRequest& request : std::exchange(effects_.dials, {})) {
    spdlog::info("the writer is at {}", request.endpoint);
    const rpc::LinkId link = network_.dial(request.endpoint);
    links_.emplace(link, request.endpoint);
    core_->on_dialled(request.endpoint, link, effects_);
  }
}

void Server::stop() {
  if (is_stopping_) {
    return;
  }
  spdlog::info("asked to stop: {} operations in flight have {} ms to end", core_->operations_in_flight(),
               kDrainNs / kMillisecond);
  is_stopping_ = is_draining_ = true;
  drain_deadline_ = after(network_.now(), kDrainNs);
  core_->drain();
}

}  // namespace daedalus::aggregator

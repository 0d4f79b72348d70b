// PostgreSQL's port of a simulated aggregator: the real registry and sessions over simulated connections.
//
// It does for them what the program's server and transport do: hands bytes, results and finished work in, operations to
// the
// core and output to the lines. Nothing is decided here but how much a socket takes.
#pragma once

#include <functional>
#include <map>
#include <memory>
#include <string>

#include "byte_line.hpp"
#include "daedalus/aggregator/compile.hpp"
#include "daedalus/aggregator/core.hpp"
#include "daedalus/postgres/session_registry.hpp"
#include "door_witness.hpp"

namespace daedalus::testing {

class FrontDoor final : public postgres::SessionOwner {
 public:
  /// The process it is part of; all of it outlives the registry.
  struct Host {
    rpc::SimulatedNetwork& network;
    rpc::SimulatedEndpoint& endpoint;
    aggregator::AggregatorCore& core;
    aggregator::Compiler& compiler;
    std::function<int64_t()> read_wall_clock;
    std::function<void(aggregator::Effects effects)> carry_out;
  };

  FrontDoor(Host host, postgres::SessionOptions options, DoorWitness& witness);
  ~FrontDoor() override;

  /// A connection has come in, as this session.
  void accept(rpc::PeerId session, std::shared_ptr<ByteLine> line);
  /// Takes those that are for sessions; the others stay where they are.
  void give_to_sessions(aggregator::Effects& effects);
  [[nodiscard]] bool has(rpc::PeerId session) const { return served_.contains(session); }
  [[nodiscard]] uint64_t output_waiting(rpc::PeerId session) const;
  /// The process has crashed.
  void vanish();

  void on_session_up(rpc::PeerId session, const rpc::PeerInfo& info) override;
  void on_session_down(rpc::PeerId session, const std::string& reason) override;
  void on_session_operation(rpc::PeerId session, wire::v1::Operation&& operation) override;
  void on_session_work(rpc::PeerId session, postgres::Work&& work) override;
  void on_session_catalogue(rpc::PeerId session, postgres::CatalogueWork&& work) override;
  void on_session_catalogue_abandoned(rpc::PeerId /*session*/) override {}
  void on_cancel_request(const postgres::CancelKey& key) override;

 private:
  struct Served {
    std::shared_ptr<rpc::ByteSession> session;
    std::shared_ptr<ByteLine> line;
    uint64_t window = 0;        ///< So many bytes that nobody has read fit into its socket.
    Instant timer_at = kNever;  ///< By the network's clock.
    bool is_woken = false;
    bool is_lost = false;
  };

  [[nodiscard]] ByteLine::Schedule schedule() const;
  void on_bytes(rpc::PeerId session, std::string_view bytes);
  void on_end(rpc::PeerId session);
  void on_written(rpc::PeerId session, size_t size);
  void on_timer(rpc::PeerId session, Instant due);
  /// It is looked at soon.
  void wake(rpc::PeerId session);
  void turn();
  void look_at(rpc::PeerId session, Served& served);
  /// Returns whether it is over and has said all it had to say.
  [[nodiscard]] static bool is_done(const Served& served);
  void write(Served& served);
  void set_timer(rpc::PeerId session, Served& served);

  const Host host_;
  const std::string table_;
  DoorWitness& witness_;
  postgres::SessionRegistry registry_;  ///< Outlives its sessions.
  std::map<rpc::PeerId, Served> served_;
  aggregator::Effects effects_;  ///< Effects that sessions wanted in this turn.
  bool is_turn_posted_ = false;
};

}  // namespace daedalus::testing

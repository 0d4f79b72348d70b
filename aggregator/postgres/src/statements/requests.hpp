// A session's requests wait in order until its owner takes them.
//
// Decides the numbers of what is asked, by which answers are told apart. Refuses to know what it is asked for, and what
// comes of it.
#pragma once

#include <cstdint>
#include <string>
#include <variant>

#include "daedalus/base/fifo.hpp"
#include "daedalus/postgres/session_owner.hpp"
#include "daedalus/rpc/byte_session.hpp"
#include "daedalus/wire/v1/operations.pb.h"

namespace daedalus::postgres {

class Requests {
 public:
  /// The owner outlives this.
  Requests(SessionOwner& owner, rpc::PeerId session) : owner_(owner), session_(session) {}

  // ---- of everybody: who is there ----
  void tell_up(rpc::PeerInfo info) { events_.push_back(Up{std::move(info)}); }
  void tell_down(std::string reason) { events_.push_back(Down{std::move(reason)}); }
  void stop_another(CancelKey key) { events_.push_back(key); }

  // ---- of the core ----
  /// Gives it its sequence, which is returned.
  uint64_t ask(wire::v1::Operation&& operation);
  /// The sequence of the next operation.
  [[nodiscard]] uint64_t next_sequence() const { return last_sequence_ + 1; }
  /// Nobody wants any longer what was asked under this sequence.
  void abort(uint64_t sequence);

  // ---- of a worker ----
  void start_work(decltype(Work::what) what);
  [[nodiscard]] bool is_latest_work(uint64_t id) const { return id == last_work_; }
  /// Nobody waits for it any longer: what is done under its number is none.
  void forget_work() { ++last_work_; }

  // ---- of the catalogue ----
  void ask_catalogue(catalogue::Statement statement);
  [[nodiscard]] bool is_latest_catalogue(uint64_t id) const { return id == last_catalogue_; }
  void abandon_catalogue() { events_.push_back(CatalogueAbandoned{}); }

  [[nodiscard]] bool empty() const { return events_.empty(); }
  /// Hands them to the owner, until that is enough.
  void deliver(const rpc::ByteSession::IsEnough& is_enough);

 private:
  struct Up {
    rpc::PeerInfo info;
  };
  struct Down {
    std::string reason;
  };
  struct CatalogueAbandoned {};
  using Event = std::variant<Up, Down, wire::v1::Operation, Work, CancelKey, CatalogueWork, CatalogueAbandoned>;

  /// Returns what it is.
  const char* hand_over(Event event);

  SessionOwner& owner_;
  const rpc::PeerId session_;
  Fifo<Event> events_;
  uint64_t last_sequence_ = 0;
  uint64_t last_work_ = 0;
  uint64_t last_catalogue_ = 0;
};

}  // namespace daedalus::postgres

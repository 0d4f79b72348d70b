// Remembers what sessions of PostgreSQL's protocol asked the cores of their aggregators, and what these told them.
//
// An answer that a client of that protocol gets says nothing of the moment it is of; the core says it to the session.
// So an answer is right if it is that of its question at the moment of one answer that its session got for that text,
// and an error may be if the session got it. No moment lies before what the session had been told of when it asked.
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "daedalus/rpc/network.hpp"
#include "daedalus/wire/v1/operations.pb.h"
#include "daedalus/wire/v1/results.pb.h"

namespace daedalus::testing {

class DoorWitness {
 public:
  /// One operation and how it ended.
  struct Exchange {
    std::string sql;              ///< The text of a STATEMENT; empty: a SUBMIT.
    Timestamp seen{};             ///< The highest moment and update that the session had been told of before.
    std::optional<Timestamp> at;  ///< The moment that the session names.
    std::optional<wire::v1::QueryEnd> end;
    std::optional<wire::v1::Error> error;
  };

  /// No two connections of one run have the same.
  [[nodiscard]] rpc::PeerId next_session() { return rpc::PeerId{kFirstSession + sessions_.size()}; }
  void on_session(rpc::PeerId session) { sessions_[session]; }
  void on_operation(rpc::PeerId session, const wire::v1::Operation& operation);
  void on_result(rpc::PeerId session, const wire::v1::Result& result);

  /// Returns the exchanges of that session and text, in their order.
  [[nodiscard]] std::vector<const Exchange*> exchanges(rpc::PeerId session, std::string_view sql) const;

 private:
  /// Beyond all peers of the simulated network.
  static constexpr uint64_t kFirstSession = uint64_t{1} << 40;

  std::map<rpc::PeerId, std::map<uint64_t, Exchange>> sessions_;  ///< By sequence.
  std::map<rpc::PeerId, Timestamp> seen_;
  std::map<std::pair<rpc::PeerId, uint32_t>, std::string> slots_;  ///< Texts, by session and slot.
};

}  // namespace daedalus::testing

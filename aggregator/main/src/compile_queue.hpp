// Statements that wait for a compiler's thread.
//
// Decides which is next: clients take turns, each with its oldest statement, and small statements do not wait for large
// ones where a thread takes small ones only. Refuses to know threads and SQL.
#pragma once

#include <cstddef>
#include <cstdint>
#include <list>
#include <map>
#include <optional>
#include <utility>

#include "daedalus/aggregator/core.hpp"

namespace daedalus::aggregator {

class CompileQueue {
 public:
  /// Statements of more bytes than this are large: they take some milliseconds and more.
  static constexpr uint64_t kSmallBytesMax = 16u << 10;

  [[nodiscard]] size_t size() const { return kinds_.size(); }
  [[nodiscard]] bool has_small() const { return !lines_[kSmall].turns.empty(); }
  [[nodiscard]] bool has_large() const { return !lines_[kLarge].turns.empty(); }

  /// Precondition: tickets ascend.
  void push(CompileRequest request);
  /// Forgets a statement that waits.
  void cancel(CompileTicket ticket);

  struct Next {
    CompileRequest request;
    bool is_large = false;
  };
  /// The next statement; small and large ones in turn, unless only small ones are wanted.
  [[nodiscard]] std::optional<Next> pop(bool may_be_large);

 private:
  enum Kind : uint8_t { kSmall, kLarge };

  /// Those of one kind.
  struct Line {
    std::map<rpc::PeerId, std::map<CompileTicket, CompileRequest>> clients;  ///< With at least one each.
    std::list<rpc::PeerId> turns;                                            ///< Who is next; each client once.
  };

  Line lines_[2];
  std::map<CompileTicket, std::pair<Kind, rpc::PeerId>> kinds_;
  bool was_large_ = false;
};

}  // namespace daedalus::aggregator

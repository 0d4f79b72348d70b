// Messages whose memory is used again: a query's way through a process is four of them, each of several objects.
//
// Decides which messages are worth keeping and how many. Each belongs to one channel or outbox, and to nobody else
// while it is in here. Refuses to know what they say.
#pragma once

#include <vector>

#include "daedalus/wire/v1/operations.pb.h"
#include "daedalus/wire/v1/results.pb.h"

namespace daedalus::rpc {

/// Bounded: kSpareMax of each kind, and of each a few KiB, as only those are kept that hold no more when they are given
/// back, and no lists. One thread at a time.
class SpareMessages {
 public:
  /// The most spare messages of each kind.
  static constexpr size_t kSpareMax = 128;
  /// Bytes of a text within one that is kept; its memory may be twice as much.
  static constexpr size_t kTextMax = 4096;

  /// An operation with an empty header and nothing else.
  [[nodiscard]] wire::v1::Operation operation();
  /// A result of this kind and nothing else, the sequence included.
  [[nodiscard]] wire::v1::Result rows();
  [[nodiscard]] wire::v1::Result end();

  /// Keeps what is worth it.
  void give(wire::v1::Operation&& operation);
  void give(wire::v1::Result&& result);

 private:
  std::vector<wire::v1::Operation> operations_;
  std::vector<wire::v1::Result> rows_;
  std::vector<wire::v1::Result> ends_;
};

}  // namespace daedalus::rpc

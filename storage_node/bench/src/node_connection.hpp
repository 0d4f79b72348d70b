// The driver's connection to a node, as an aggregator has one: becomes the writer, and keeps updates in flight.
#pragma once

#include <cstdint>
#include <string>

#include "daedalus/base/result.hpp"
#include "daedalus/rpc/frame.hpp"
#include "daedalus/wire/v1/results.pb.h"
#include "numbered_updates.hpp"

namespace daedalus::node::bench {

struct UpdateLimits {
  uint32_t batch = 64;        ///< Updates a frame.
  uint32_t in_flight = 1024;  ///< Updates that wait for their confirmation.
};

class NodeConnection {
 public:
  /// Connects to "ip:port" of a node, shakes hands and raises the epoch. Errors: 08001 and what the peer says.
  [[nodiscard]] static Result<NodeConnection> open(const std::string& endpoint, UpdateLimits limits);
  NodeConnection(NodeConnection&& other) noexcept;
  NodeConnection& operator=(NodeConnection&&) = delete;
  NodeConnection(const NodeConnection&) = delete;
  NodeConnection& operator=(const NodeConnection&) = delete;
  ~NodeConnection();

  /// Inserts the rows with the keys 0 to `rows` - 1 and waits for that. Errors: those of the node.
  [[nodiscard]] Result<void> insert_rows(uint32_t rows);
  /// Sends as many updates as there is room for, waits a little, and takes what has been confirmed. Errors: what the
  /// node refused, or that the connection has ended.
  [[nodiscard]] Result<void> step(const NumberedUpdates& updates);
  /// Waits until nothing is in flight. Errors: as of step().
  [[nodiscard]] Result<void> drain();

  [[nodiscard]] uint64_t confirmed() const { return confirmed_; }
  /// Rows that all updates so far were applied to.
  [[nodiscard]] uint64_t rows_applied() const { return rows_applied_; }

 private:
  NodeConnection(int socket, UpdateLimits limits) : socket_(socket), limits_(limits) {}
  [[nodiscard]] Result<void> become_writer();
  [[nodiscard]] Result<wire::v1::EpochReply> ask_epoch(uint64_t epoch);
  [[nodiscard]] Result<void> take_results(int wait_ms);
  [[nodiscard]] Result<void> on_frame(const rpc::Frame& frame);
  [[nodiscard]] bool write();
  [[nodiscard]] UpdateNumbers next_numbers();
  [[nodiscard]] uint64_t in_flight() const { return sent_ - confirmed_; }

  int socket_;
  UpdateLimits limits_;
  rpc::Framer framer_;
  wire::v1::ResultBatch results_;
  wire::v1::EpochReply epoch_reply_;
  bool has_epoch_reply_ = false;
  std::string output_;
  size_t written_ = 0;
  uint64_t sequence_ = 0;
  uint64_t epoch_ = 0;
  uint64_t first_ = 0;      ///< The timestamp before the first of this connection's.
  uint64_t sent_ = 0;       ///< Updates of this connection.
  uint64_t confirmed_ = 0;  ///< Counts how many of these are confirmed; a node confirms in their order.
  uint64_t rows_applied_ = 0;
};

}  // namespace daedalus::node::bench

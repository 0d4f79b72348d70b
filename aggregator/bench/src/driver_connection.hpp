// One connection of the driver: frames of queries go out as long as fewer than allowed wait for their answer.
#pragma once

#include <cstdint>
#include <string>

#include "answer_counter.hpp"
#include "daedalus/base/result.hpp"
#include "daedalus/rpc/frame.hpp"
#include "routed_queries.hpp"

namespace daedalus::aggregator::bench {

struct DriverLimits {
  uint32_t batch = 64;        ///< Queries a frame.
  uint32_t in_flight = 1024;  ///< Queries of one connection that wait for their answer.
};

class DriverConnection {
 public:
  /// Connects to "host:port" of an aggregator, shakes hands and asks for its table. Errors: 08001 and what the peer
  /// says.
  [[nodiscard]] static Result<DriverConnection> open(const std::string& endpoint, DriverLimits limits);
  DriverConnection(DriverConnection&& other) noexcept;
  DriverConnection& operator=(DriverConnection&&) = delete;
  DriverConnection(const DriverConnection&) = delete;
  DriverConnection& operator=(const DriverConnection&) = delete;
  ~DriverConnection();

  [[nodiscard]] int socket() const { return socket_; }
  [[nodiscard]] const wire::v1::DescribeReply& table() const { return table_; }
  [[nodiscard]] bool wants_to_write() const { return written_ < output_.size(); }
  /// Reads what has come, and adds it to `endings`. False when the connection has ended.
  [[nodiscard]] bool read(Endings& endings);
  /// Sends what the queries need before. False when the connection has ended. Precondition: nothing waits to be
  /// written.
  [[nodiscard]] bool define(const RoutedQueries& queries);
  /// Sends as many queries as there is room for. False when the connection has ended.
  [[nodiscard]] bool fill(const RoutedQueries& queries);

 private:
  DriverConnection(int socket, DriverLimits limits) : socket_(socket), limits_(limits) {}
  [[nodiscard]] Result<void> shake_hands(const std::string& endpoint);
  [[nodiscard]] bool write();

  int socket_;
  DriverLimits limits_;
  rpc::Framer framer_;
  wire::v1::DescribeReply table_;
  std::string output_;
  size_t written_ = 0;
  uint64_t sequence_ = 0;
  uint64_t in_flight_ = 0;
};

}  // namespace daedalus::aggregator::bench

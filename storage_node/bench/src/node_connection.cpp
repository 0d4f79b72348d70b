#include "node_connection.hpp"

#include <arpa/inet.h>
#include <fcntl.h>
#include <fmt/format.h>
#include <netinet/in.h>
#include <netinet/tcp.h>
#include <poll.h>
#include <sys/socket.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstdlib>
#include <cstring>
#include <utility>

#include "daedalus/semantics/placement.hpp"
#include "daedalus/wire/v1/operations.pb.h"
#include "daedalus/wire/v1/session.pb.h"

namespace daedalus::node::bench {

namespace {

constexpr size_t kReadSize = 256u << 10;
constexpr int kPatienceMs = 30'000;
constexpr int kPauseMs = 100;
constexpr uint32_t kRowsPerInsert = 1000;

Error lost(const std::string& why) { return Error{ErrorCategory::kRetry, "08001", "the node: " + why, {}, 0}; }

Result<int> connect_to(const std::string& endpoint) {
  const size_t colon = endpoint.rfind(':');
  sockaddr_in address{};
  address.sin_family = AF_INET;
  const std::string host = endpoint.substr(0, colon);
  if (colon == std::string::npos || ::inet_pton(AF_INET, host.c_str(), &address.sin_addr) != 1) {
    return rejected("22023", fmt::format("\"{}\" is no address: give IP:PORT", endpoint));
  }
  address.sin_port = ::htons(static_cast<uint16_t>(std::strtoul(endpoint.c_str() + colon + 1, nullptr, 10)));
  const int made = ::socket(AF_INET, SOCK_STREAM, 0);
  if (made < 0 || ::connect(made, reinterpret_cast<const sockaddr*>(&address), sizeof(address)) != 0) {
    const std::string why = std::strerror(errno);
    ::close(made);
    return lost(fmt::format("{}: {}", endpoint, why));
  }
  const int yes = 1;
  ::setsockopt(made, IPPROTO_TCP, TCP_NODELAY, &yes, sizeof(yes));
  ::fcntl(made, F_SETFL, O_NONBLOCK);
  return made;
}

}  // namespace

Result<NodeConnection> NodeConnection::open(const std::string& endpoint, UpdateLimits limits) {
  const auto socket = connect_to(endpoint);
  if (!socket) {
    return socket.error();
  }
  NodeConnection made(*socket, limits);
  if (auto done = made.become_writer(); !done) {
    return done.error();
  }
  return made;
}

NodeConnection::NodeConnection(NodeConnection&& other) noexcept
    : socket_(std::exchange(other.socket_, -1)),
      limits_(other.limits_),
      framer_(std::move(other.framer_)),
      output_(std::move(other.output_)),
      written_(other.written_),
      sequence_(other.sequence_),
      epoch_(other.epoch_),
      first_(other.first_),
      sent_(other.sent_),
      confirmed_(other.confirmed_),
      rows_applied_(other.rows_applied_) {}

NodeConnection::~NodeConnection() {
  if (socket_ >= 0) {
    ::close(socket_);
  }
}

Result<void> NodeConnection::become_writer() {
  wire::v1::Hello hello;
  hello.set_role(wire::v1::ROLE_AGGREGATOR);
  hello.set_name("update-driver");
  hello.set_frame_size_max(rpc::kFrameSizeMax);
  output_ = rpc::encode_frame(rpc::FrameType::kHello, hello.SerializeAsString());
  const auto known = ask_epoch(0);
  if (!known) {
    return known.error();
  }
  epoch_ = known->epoch() + 1;
  const auto raised = ask_epoch(epoch_);
  if (!raised) {
    return raised.error();
  }
  if (!raised->granted() || raised->accepted_size() != 1) {
    return lost(fmt::format("epoch {} was not granted: {}", epoch_, raised->error().message()));
  }
  first_ = std::max(raised->accepted(0).applied(), raised->accepted(0).durable());
  return {};
}

/// 0 only asks.
Result<wire::v1::EpochReply> NodeConnection::ask_epoch(uint64_t epoch) {
  wire::v1::EpochBody body;
  body.set_epoch(epoch);
  body.set_holder("update-driver");
  body.set_endpoint("127.0.0.1:1");
  body.set_inquire(epoch == 0);
  wire::v1::OperationBatch batch;
  wire::v1::Operation& operation = *batch.add_operations();
  operation.mutable_header()->set_sequence(++sequence_);
  operation.mutable_header()->set_kind(wire::v1::OPERATION_KIND_EPOCH);
  operation.mutable_header()->set_map_version(1);
  operation.set_body(body.SerializeAsString());
  output_ += rpc::encode_frame(rpc::FrameType::kOperations, batch.SerializeAsString());
  has_epoch_reply_ = false;
  for (int waited_ms = 0; waited_ms < kPatienceMs; waited_ms += kPauseMs) {
    if (auto taken = take_results(kPauseMs); !taken) {
      return taken.error();
    }
    if (has_epoch_reply_) {
      return epoch_reply_;
    }
  }
  return lost("it does not say which epoch it is in");
}

Result<void> NodeConnection::insert_rows(uint32_t rows) {
  for (uint32_t first = 0; first < rows; first += kRowsPerInsert) {
    const std::string body = insert_body(first, std::min(first + kRowsPerInsert, rows) - 1);
    output_.clear();  // All of it has been written: it is confirmed.
    written_ = 0;
    rpc::FrameWriter frame(output_, rpc::FrameType::kOperations);
    append_update(next_numbers(), body, semantics::digest(body), output_);
    frame.finish();
    if (auto drained = drain(); !drained) {
      return drained;
    }
  }
  if (rows_applied_ != rows) {
    return lost(fmt::format("it has room for {} of {} rows; give it a larger segment_mib", rows_applied_, rows));
  }
  return {};
}

Result<void> NodeConnection::step(const NumberedUpdates& updates) {
  while (written_ == output_.size() && in_flight() + limits_.batch <= limits_.in_flight) {
    output_.clear();
    written_ = 0;
    rpc::FrameWriter frame(output_, rpc::FrameType::kOperations);
    for (uint32_t update = 0; update < limits_.batch; ++update) {
      updates.append(next_numbers(), output_);
    }
    frame.finish();
    if (!write()) {
      return lost("the connection has ended");
    }
  }
  return take_results(kPauseMs);
}

Result<void> NodeConnection::drain() {
  const uint64_t confirmed = confirmed_;
  for (int waited_ms = 0; in_flight() > 0 && waited_ms < kPatienceMs; waited_ms += confirmed_ == confirmed ? 1 : 0) {
    if (auto taken = take_results(1); !taken) {
      return taken;
    }
  }
  return in_flight() == 0 ? Result<void>{} : lost(fmt::format("{} updates are not confirmed", in_flight()));
}

Result<void> NodeConnection::take_results(int wait_ms) {
  static std::string bytes(kReadSize, '\0');
  if (!write()) {
    return lost("the connection has ended");
  }
  pollfd waiting{socket_, static_cast<int16_t>(POLLIN | (written_ < output_.size() ? POLLOUT : 0)), 0};
  if (::poll(&waiting, 1, wait_ms) <= 0 || (waiting.revents & ~POLLOUT) == 0) {
    return {};
  }
  const ssize_t size = ::recv(socket_, bytes.data(), bytes.size(), 0);
  if (size < 0 && (errno == EAGAIN || errno == EINTR)) {
    return {};
  }
  if (size <= 0) {
    return lost("the connection has ended");
  }
  framer_.feed(std::string_view(bytes.data(), static_cast<size_t>(size)));
  while (const auto frame = framer_.next()) {
    if (auto taken = on_frame(*frame); !taken) {
      return taken;
    }
  }
  return framer_.error() ? lost(framer_.error()->message) : Result<void>{};
}

Result<void> NodeConnection::on_frame(const rpc::Frame& frame) {
  wire::v1::Goodbye goodbye;
  if (frame.type == rpc::FrameType::kGoodbye && goodbye.ParseFromString(std::string(frame.payload))) {
    return lost(goodbye.reason());
  }
  if (frame.type != rpc::FrameType::kResults) {
    return {};
  }
  if (!results_.ParseFromArray(frame.payload.data(), static_cast<int>(frame.payload.size()))) {
    return lost("its results cannot be read");
  }
  for (const wire::v1::Result& result : results_.results()) {
    if (result.has_epoch()) {
      epoch_reply_ = result.epoch();
      has_epoch_reply_ = true;
    } else if (result.has_confirmed()) {
      ++confirmed_;
      for (const wire::v1::PartitionOutcome& outcome : result.confirmed().outcomes()) {
        rows_applied_ += outcome.rows_applied();
      }
    } else {
      return lost(result.ShortDebugString());
    }
  }
  return {};
}

bool NodeConnection::write() {
  while (written_ < output_.size()) {
    const ssize_t size = ::send(socket_, output_.data() + written_, output_.size() - written_, MSG_NOSIGNAL);
    if (size < 0) {
      return errno == EAGAIN || errno == EINTR;
    }
    written_ += static_cast<size_t>(size);
  }
  return true;
}

UpdateNumbers NodeConnection::next_numbers() {
  ++sent_;
  return {.sequence = ++sequence_, .epoch = epoch_, .timestamp = first_ + sent_, .confirmed = first_ + confirmed_};
}

}  // namespace daedalus::node::bench

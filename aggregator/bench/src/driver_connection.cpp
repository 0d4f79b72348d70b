#include "driver_connection.hpp"

#include <arpa/inet.h>
#include <fcntl.h>
#include <fmt/format.h>
#include <netinet/in.h>
#include <netinet/tcp.h>
#include <sys/socket.h>
#include <unistd.h>

#include <array>
#include <cerrno>
#include <cstring>
#include <utility>

#include "daedalus/wire/v1/session.pb.h"

namespace daedalus::aggregator::bench {

namespace {

constexpr size_t kReadSize = 256u << 10;

Error unreachable(const std::string& endpoint, const std::string& why) {
  return Error{ErrorCategory::kRetry, "08001", fmt::format("{}: {}", endpoint, why), {}, 0};
}

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
    return unreachable(endpoint, why);
  }
  const int yes = 1;
  ::setsockopt(made, IPPROTO_TCP, TCP_NODELAY, &yes, sizeof(yes));
  return made;
}

std::string greeting() {
  wire::v1::Hello hello;
  hello.set_role(wire::v1::ROLE_CLIENT);
  hello.set_name("routed-driver");
  hello.set_frame_size_max(rpc::kFrameSizeMax);
  wire::v1::OperationBatch batch;
  wire::v1::OperationHeader& header = *batch.add_operations()->mutable_header();
  header.set_sequence(1);
  header.set_kind(wire::v1::OPERATION_KIND_DESCRIBE);
  return rpc::encode_frame(rpc::FrameType::kHello, hello.SerializeAsString()) +
         rpc::encode_frame(rpc::FrameType::kOperations, batch.SerializeAsString());
}

}  // namespace

Result<DriverConnection> DriverConnection::open(const std::string& endpoint, DriverLimits limits) {
  const auto socket = connect_to(endpoint);
  if (!socket) {
    return socket.error();
  }
  DriverConnection made(*socket, limits);
  if (auto shaken = made.shake_hands(endpoint); !shaken) {
    return shaken.error();
  }
  ::fcntl(made.socket_, F_SETFL, O_NONBLOCK);
  return made;
}

DriverConnection::DriverConnection(DriverConnection&& other) noexcept
    : socket_(std::exchange(other.socket_, -1)),
      limits_(other.limits_),
      framer_(std::move(other.framer_)),
      table_(std::move(other.table_)),
      output_(std::move(other.output_)),
      written_(other.written_),
      sequence_(other.sequence_),
      in_flight_(other.in_flight_) {}

DriverConnection::~DriverConnection() {
  if (socket_ >= 0) {
    ::close(socket_);
  }
}

Result<void> DriverConnection::shake_hands(const std::string& endpoint) {
  output_ = greeting();
  sequence_ = 1;
  if (!write()) {
    return unreachable(endpoint, "the connection ended in the handshake");
  }
  std::array<char, 4096> bytes{};
  while (true) {
    const ssize_t size = ::recv(socket_, bytes.data(), bytes.size(), 0);
    if (size <= 0) {
      return unreachable(endpoint, "the connection ended in the handshake");
    }
    framer_.feed(std::string_view(bytes.data(), static_cast<size_t>(size)));
    while (const auto frame = framer_.next()) {
      wire::v1::ResultBatch batch;
      wire::v1::Goodbye goodbye;
      if (frame->type == rpc::FrameType::kGoodbye && goodbye.ParseFromString(std::string(frame->payload))) {
        return unreachable(endpoint, goodbye.reason());
      }
      if (frame->type != rpc::FrameType::kResults || !batch.ParseFromString(std::string(frame->payload))) {
        continue;
      }
      if (!batch.results(0).has_described()) {
        return unreachable(endpoint, batch.results(0).error().message());
      }
      table_ = batch.results(0).described();
      return {};
    }
  }
}

bool DriverConnection::read(Endings& endings) {
  static std::string bytes(kReadSize, '\0');
  while (true) {
    const ssize_t size = ::recv(socket_, bytes.data(), bytes.size(), 0);
    if (size < 0 && (errno == EAGAIN || errno == EINTR)) {
      return true;
    }
    if (size <= 0) {
      return false;
    }
    framer_.feed(std::string_view(bytes.data(), static_cast<size_t>(size)));
    while (const auto frame = framer_.next()) {
      if (frame->type == rpc::FrameType::kGoodbye) {
        return false;
      }
      if (frame->type != rpc::FrameType::kResults) {
        continue;
      }
      const Endings here = count_endings(frame->payload);
      endings.answered += here.answered;
      endings.failed += here.failed;
      endings.rows += here.rows;
      endings.is_whole = endings.is_whole && here.is_whole;
      in_flight_ -= here.answered + here.failed;
    }
    if (framer_.error() || static_cast<size_t>(size) < bytes.size()) {
      return !framer_.error();
    }
  }
}

bool DriverConnection::define(const RoutedQueries& queries) {
  if (!queries.definition()) {
    return true;
  }
  wire::v1::OperationBatch batch;
  *batch.add_operations() = *queries.definition();
  batch.mutable_operations(0)->mutable_header()->set_sequence(++sequence_);
  output_ = rpc::encode_frame(rpc::FrameType::kOperations, batch.SerializeAsString());
  written_ = 0;
  return write();
}

bool DriverConnection::fill(const RoutedQueries& queries) {
  if (!write()) {
    return false;
  }
  while (!wants_to_write() && in_flight_ + limits_.batch <= limits_.in_flight) {
    output_.clear();
    written_ = 0;
    rpc::FrameWriter frame(output_, rpc::FrameType::kOperations);
    for (uint32_t query = 0; query < limits_.batch; ++query) {
      queries.append(++sequence_, output_);
    }
    frame.finish();
    in_flight_ += limits_.batch;
    if (!write()) {
      return false;
    }
  }
  return true;
}

bool DriverConnection::write() {
  while (wants_to_write()) {
    const ssize_t size = ::send(socket_, output_.data() + written_, output_.size() - written_, MSG_NOSIGNAL);
    if (size < 0) {
      return errno == EAGAIN || errno == EINTR;
    }
    written_ += static_cast<size_t>(size);
  }
  return true;
}

}  // namespace daedalus::aggregator::bench

#include "link.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <boost/asio/connect.hpp>
#include <boost/asio/ip/address.hpp>
#include <charconv>
#include <utility>

namespace daedalus::rpc {

namespace asio = boost::asio;
using asio::ip::tcp;

Result<HostPort> parse_host_port(const std::string& endpoint) {
  const auto bad = [&] {
    return Error{ErrorCategory::kFatal, "58000", fmt::format("\"{}\" is no address", endpoint),
                 "write host:port, such as 127.0.0.1:7400", 0};
  };
  const size_t colon = endpoint.rfind(':');
  if (colon == std::string::npos || colon == 0) {
    return bad();
  }
  HostPort parsed;
  const char* const end = endpoint.data() + endpoint.size();
  const auto [stop, error] = std::from_chars(endpoint.data() + colon + 1, end, parsed.port);
  if (error != std::errc() || stop != end) {
    return bad();
  }
  parsed.host = endpoint.substr(0, colon);
  if (parsed.host.size() > 2 && parsed.host.front() == '[' && parsed.host.back() == ']') {
    parsed.host = parsed.host.substr(1, parsed.host.size() - 2);
  }
  if (parsed.host == "localhost") {
    parsed.host = "127.0.0.1";
  }
  return parsed;
}

Link::Link(asio::io_context& io, LinkId id, std::string endpoint, Delays delays, OnConnected on_connected,
           OnFailed on_failed)
    : io_(io),
      id_(id),
      endpoint_(std::move(endpoint)),
      delays_(delays),
      on_connected_(std::move(on_connected)),
      on_failed_(std::move(on_failed)),
      timer_(io, [this] { on_timer(); }),
      delay_ns_(delays.ns_min) {}

void Link::dial() {
  if (dropped_) {
    return;
  }
  dialling_ = true;
  ++attempt_;
  timer_.set(after(steady_now(), delays_.dial_ns_max));
  const auto to = parse_host_port(endpoint_);
  if (!to) {
    fail(to.error().message);
    return;
  }
  boost::system::error_code not_numeric;
  const auto address = asio::ip::make_address(to->host, not_numeric);
  if (not_numeric) {
    resolve(*to);
  } else {
    connect({tcp::endpoint(address, to->port)});
  }
}

void Link::resolve(const HostPort& to) {
  resolver_ = std::make_shared<tcp::resolver>(io_);
  resolver_->async_resolve(to.host, std::to_string(to.port),
                           [self = shared_from_this(), attempt = attempt_](const auto& error, const auto& found) {
                             if (attempt != self->attempt_ || !self->dialling_) {
                               return;
                             }
                             if (error) {
                               self->fail(fmt::format("cannot resolve {}: {}", self->endpoint_, error.message()));
                               return;
                             }
                             std::vector<tcp::endpoint> endpoints;
                             for (const auto& entry : found) {
                               endpoints.push_back(entry.endpoint());
                             }
                             self->connect(std::move(endpoints));
                           });
}

void Link::connect(std::vector<tcp::endpoint> endpoints) {
  candidates_ = std::move(endpoints);
  socket_ = std::make_shared<tcp::socket>(io_);
  asio::async_connect(
      *socket_, candidates_,
      [self = shared_from_this(), attempt = attempt_, socket = socket_](const auto& error, const auto&) {
        if (attempt != self->attempt_ || !self->dialling_) {
          return;
        }
        if (error) {
          self->fail(fmt::format("cannot connect to {}: {}", self->endpoint_, error.message()));
          return;
        }
        self->dialling_ = false;
        self->timer_.set(kNever);
        self->socket_.reset();
        self->on_connected_(*self, std::move(*socket));
      });
}

void Link::fail(const std::string& reason) {
  dialling_ = false;
  if (socket_) {
    boost::system::error_code ignored;  // It was never connected.
    socket_->close(ignored);
    socket_.reset();
  }
  dial_later();
  on_failed_(*this, reason);
}

void Link::dial_later() {
  if (dropped_) {
    return;
  }
  timer_.set(after(steady_now(), delay_ns_));
  delay_ns_ = std::min(delay_ns_ * 2, delays_.ns_max);
}

void Link::on_timer() {
  const auto self = shared_from_this();
  if (dialling_) {
    fail(fmt::format("cannot connect to {}: no answer within {} ms", endpoint_, delays_.dial_ns_max / kMillisecond));
  } else {
    dial();
  }
}

void Link::drop() {
  dropped_ = true;
  dialling_ = false;
  timer_.set(kNever);
  if (socket_) {
    boost::system::error_code ignored;  // It was never connected.
    socket_->close(ignored);
    socket_.reset();
  }
}

}  // namespace daedalus::rpc

// One endpoint that is dialled again and again: resolving, connecting, pausing. What a connection then does is not its
// business.
#pragma once

#include <boost/asio/io_context.hpp>
#include <boost/asio/ip/tcp.hpp>
#include <functional>
#include <memory>
#include <string>
#include <vector>

#include "daedalus/base/result.hpp"
#include "daedalus/rpc/network.hpp"
#include "deadline_timer.hpp"

namespace daedalus::rpc {

/// "host:port" or "[v6]:port" taken apart.
struct HostPort {
  std::string host;
  uint16_t port = 0;
};

/// Errors: FATAL 58000, naming the text. "localhost" becomes 127.0.0.1.
[[nodiscard]] Result<HostPort> parse_host_port(const std::string& endpoint);

class Link final : public std::enable_shared_from_this<Link> {
 public:
  struct Delays {
    int64_t ns_min;
    int64_t ns_max;
    int64_t dial_ns_max;
  };
  using OnConnected = std::function<void(Link&, boost::asio::ip::tcp::socket)>;
  using OnFailed = std::function<void(Link&, const std::string& reason)>;

  Link(boost::asio::io_context& io, LinkId id, std::string endpoint, Delays delays, OnConnected on_connected,
       OnFailed on_failed);

  [[nodiscard]] LinkId id() const { return id_; }
  [[nodiscard]] const std::string& endpoint() const { return endpoint_; }
  [[nodiscard]] bool dropped() const { return dropped_; }
  /// One attempt, now.
  void dial();
  /// The next attempt, after a pause that doubles from one failure to the next.
  void dial_later();
  /// The last attempt has come up: the next pause is the shortest again.
  void reset_delay() { delay_ns_ = delays_.ns_min; }
  /// No attempt from now on.
  void drop();

  std::string last_failure;  ///< Logged once, until another takes its place.

 private:
  void resolve(const HostPort& to);
  void connect(std::vector<boost::asio::ip::tcp::endpoint> endpoints);
  void fail(const std::string& reason);
  void on_timer();

  boost::asio::io_context& io_;
  LinkId id_;
  std::string endpoint_;
  Delays delays_;
  OnConnected on_connected_;
  OnFailed on_failed_;
  DeadlineTimer timer_;
  std::shared_ptr<boost::asio::ip::tcp::resolver> resolver_;
  std::shared_ptr<boost::asio::ip::tcp::socket> socket_;
  std::vector<boost::asio::ip::tcp::endpoint> candidates_;
  int64_t delay_ns_;
  uint64_t attempt_ = 0;  ///< Answers to earlier attempts are void.
  bool dialling_ = false;
  bool dropped_ = false;
};

}  // namespace daedalus::rpc

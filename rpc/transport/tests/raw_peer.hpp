// A peer without manners: a plain socket that sends what it is told and reads when it is told.
#pragma once

#include <arpa/inet.h>
#include <netinet/in.h>
#include <sys/socket.h>
#include <unistd.h>

#include <cerrno>
#include <cstdint>
#include <string>
#include <string_view>

#include "daedalus/base/check.hpp"

namespace daedalus::rpc {

class RawPeer {
 public:
  /// Connects to "127.0.0.1:port".
  explicit RawPeer(const std::string& address) : socket_(::socket(AF_INET, SOCK_STREAM, 0)) {
    sockaddr_in to{};
    to.sin_family = AF_INET;
    to.sin_port = htons(static_cast<uint16_t>(std::stoi(address.substr(address.rfind(':') + 1))));
    to.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
    CHECK(::connect(socket_, reinterpret_cast<const sockaddr*>(&to), sizeof to) == 0);
  }
  ~RawPeer() { ::close(socket_); }
  RawPeer(const RawPeer&) = delete;
  RawPeer& operator=(const RawPeer&) = delete;

  void send(std::string_view bytes) const {
    while (!bytes.empty()) {
      const ssize_t sent = ::send(socket_, bytes.data(), bytes.size(), MSG_NOSIGNAL);
      CHECK(sent > 0);
      bytes.remove_prefix(static_cast<size_t>(sent));
    }
  }

  /// Takes what has arrived; true when the other side has closed.
  bool read() {
    char buffer[65536];
    while (true) {
      const ssize_t got = ::recv(socket_, buffer, sizeof buffer, MSG_DONTWAIT);
      if (got <= 0) {
        return got == 0 || (errno != EAGAIN && errno != EWOULDBLOCK);
      }
      received.append(buffer, static_cast<size_t>(got));
    }
  }

  std::string received;

 private:
  int socket_;
};

}  // namespace daedalus::rpc

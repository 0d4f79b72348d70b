// Clients of PostgreSQL's protocol whose sessions have threads work for them, several at a time.
#include <gmock/gmock.h>

#include <algorithm>
#include <chrono>
#include <list>
#include <string>
#include <string_view>
#include <utility>

#include "process_fixture.hpp"

namespace daedalus::aggregator {
namespace {

using ::testing::HasSubstr;

std::string number32(size_t number) {
  std::string bytes;
  for (const int shift : {24, 16, 8, 0}) {
    bytes += static_cast<char>(number >> shift & 0xff);
  }
  return bytes;
}

/// A message of the protocol; the one that opens a connection has no type.
std::string message(std::string_view type, const std::string& body) {
  return std::string(type) + number32(body.size() + 4) + body;
}

/// A connection over a blocking socket.
class Client {
 public:
  explicit Client(uint16_t port) : socket_(socket(AF_INET, SOCK_STREAM, 0)) {
    sockaddr_in address{};
    address.sin_family = AF_INET;
    address.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
    address.sin_port = htons(port);
    EXPECT_EQ(connect(socket_, reinterpret_cast<sockaddr*>(&address), sizeof(address)), 0);
  }
  ~Client() { close(socket_); }
  Client(const Client&) = delete;
  Client& operator=(const Client&) = delete;

  void send(const std::string& bytes) const {
    EXPECT_EQ(::send(socket_, bytes.data(), bytes.size(), MSG_NOSIGNAL), static_cast<ssize_t>(bytes.size()));
  }

  /// Reads until the server is ready for another query; gives the types of the messages that came, and their bodies.
  std::pair<std::string, std::string> reply() {
    std::string types;
    std::string bodies;
    while (types.empty() || types.back() != 'Z') {
      const std::string head = read(5);
      if (head.size() < 5) {
        break;
      }
      size_t size = 0;
      for (const char byte : head.substr(1)) {
        size = size << 8 | static_cast<uint8_t>(byte);
      }
      types += head[0];
      bodies += read(size - 4);
    }
    return {types, bodies};
  }

 private:
  /// Fewer bytes where the connection, or patience, ends before.
  std::string read(size_t size) {
    std::string bytes;
    while (bytes.size() < size) {
      pollfd waited{.fd = socket_, .events = POLLIN, .revents = 0};
      char buffer[1024];
      const auto patience = std::chrono::milliseconds(kPatience).count();
      const ssize_t got = poll(&waited, 1, static_cast<int>(patience)) <= 0
                              ? 0
                              : recv(socket_, buffer, std::min(sizeof(buffer), size - bytes.size()), 0);
      if (got <= 0) {
        ADD_FAILURE() << "the server says nothing more";
        break;
      }
      bytes.append(buffer, static_cast<size_t>(got));
    }
    return bytes;
  }

  int socket_;
};

TEST_F(ProcessTest, ThreadsWorkForSeveralSessionsAtATime) {
  using namespace std::string_literals;
  constexpr int kClients = 8;
  Port postgres;
  postgres.release();
  const std::string path = write_aggregator(
      fmt::format("postgres_listen = \"127.0.0.1:{}\"\npostgres_trust = \"loopback\"\n", postgres.number()));
  port_.release();
  Child child({"--config", path});
  ASSERT_TRUE(child.wait_for("ready\n")) << child.output();

  std::list<Client> clients;
  for (int i = 0; i < kClients; ++i) {
    clients.emplace_back(postgres.number()).send(message("", number32(3u << 16) + "user\0ada\0database\0numbers\0\0"s));
  }
  for (Client& client : clients) {
    EXPECT_THAT(client.reply().first, HasSubstr("R"));
  }
  // One job describes a statement, of which each client has another; one takes apart a text that is large; one compiles
  // the second piece of that in vain; and one finds out that the catalogue has no such statement either.
  int number = 0;
  for (const Client& client : clients) {
    const std::string sql = fmt::format("SELECT id FROM numbers WHERE id = $1 AND id <> {}", number++);
    client.send(message("P", '\0' + sql + "\0\0\0"s) + message("D", "S\0"s) + message("S", ""));
    client.send(
        message("Q", "SET application_name = 'a';" + std::string(40'000, ' ') + "SELECT nothing FROM numbers\0"s));
  }
  for (Client& client : clients) {
    const auto [types, bodies] = client.reply();
    EXPECT_EQ(types, "1tTZ");
    EXPECT_THAT(bodies, HasSubstr("id\0"s));
    const auto [after, said] = client.reply();
    EXPECT_EQ(after.substr(0, 1), "C");
    EXPECT_THAT(said, HasSubstr("42703"));
  }
  child.stop();
  EXPECT_EQ(child.wait(), 0) << child.output();
}

}  // namespace
}  // namespace daedalus::aggregator

// An encrypted connection whose client shakes hands and speaks as it should, while somebody changes, cuts, doubles or
// puts in bytes: nothing crashes, what waits is bounded, and nothing of a changed record reaches the session.
#include <cstddef>
#include <cstdint>
#include <memory>
#include <string>
#include <string_view>

#include "byte_order.hpp"
#include "daedalus/base/check.hpp"
#include "daedalus/postgres/session_registry.hpp"
#include "tls_peer.hpp"

namespace daedalus::postgres {
namespace {

using namespace std::string_view_literals;

constexpr Instant kStart{1};
constexpr uint64_t kOutputMax = 1u << 20;
constexpr std::string_view kSslRequest = "\0\0\0\x08\x04\xd2\x16\x2f"sv;
constexpr std::string_view kStartup = "\0\0\0\x1d\0\3\0\0user\0ada\0database\0t\0\0"sv;
constexpr std::string_view kShow = "Q\0\0\0\x0dSHOW jit\0"sv;

/// Hears no more than that a client is there.
class Owner final : public SessionOwner {
 public:
  void on_session_up(rpc::PeerId /*session*/, const rpc::PeerInfo& /*info*/) override { CHECK(++ups == 1); }
  void on_session_down(rpc::PeerId /*session*/, const std::string& /*reason*/) override { CHECK(++downs <= ups); }
  void on_session_operation(rpc::PeerId /*session*/, wire::v1::Operation&& /*operation*/) override {}
  void on_session_work(rpc::PeerId /*session*/, Work&& /*work*/) override {}
  void on_session_catalogue(rpc::PeerId /*session*/, CatalogueWork&& /*work*/) override {}
  void on_session_catalogue_abandoned(rpc::PeerId /*session*/) override {}
  void on_cancel_request(const CancelKey& /*key*/) override {}

  int ups = 0;
  int downs = 0;
};

std::shared_ptr<const TlsContext> certified() {
  const testing::Certificate certificate("server");
  auto made = TlsContext::make({certificate.pem(), certificate.key_pem(), certificate.pem()});
  CHECK(made);
  return *made;
}

/// The line between the two: carries bytes, and does to them what the input says.
class Line {
 public:
  explicit Line(std::string_view deeds) : deeds_(deeds) {}

  std::string carry(std::string bytes) {
    const uint8_t deed = next();
    if (bytes.empty() || deed < 128) {
      return bytes;
    }
    const std::string before = bytes;
    const size_t at = (size_t{next()} << 8 | next()) % bytes.size();
    switch (deed % 4) {
      case 0:
        bytes[at] = static_cast<char>(bytes[at] ^ (1 << deed / 4 % 8));
        break;
      case 1:
        bytes.resize(at);
        break;
      case 2:
        bytes.insert(at, bytes.substr(0, at + 1));
        break;
      default:
        bytes.insert(at, deeds_.substr(0, next()));
    }
    is_touched_ = is_touched_ || bytes != before;
    return bytes;
  }
  /// How many bytes come at once.
  size_t piece() { return size_t{1} << next() % 12; }
  [[nodiscard]] bool is_touched() const { return is_touched_; }

 private:
  uint8_t next() {
    if (deeds_.empty()) {
      return 0;
    }
    const auto deed = static_cast<uint8_t>(deeds_.front());
    deeds_.remove_prefix(1);
    return deed;
  }

  std::string_view deeds_;
  bool is_touched_ = false;
};

class Server {
 public:
  explicit Server(Owner& owner) : registry_(options(), owner, [] { return uint64_t{7}; }) {
    static const std::shared_ptr<const TlsContext> kContext = certified();
    registry_.set_tls(kContext);
    session_ = registry_.make_session({rpc::PeerId{1}, "127.0.0.1:1", std::nullopt}, kStart);
  }

  void hear(std::string_view bytes, size_t piece) {
    for (size_t at = 0; at < bytes.size() && !session_->ended(); at += piece) {
      session_->on_bytes(bytes.substr(at, piece), kStart);
      session_->deliver([](const char* /*event*/) { return false; });
      CHECK(session_->output_waiting() <= kOutputMax);
    }
  }
  std::string take() {
    std::string bytes;
    while (session_->has_output()) {
      const std::string piece = session_->take_output(kStart);
      session_->on_written(piece.size(), kStart);
      bytes += piece;
    }
    return bytes;
  }

 private:
  static SessionOptions options() {
    SessionOptions options;
    options.database = "t";
    options.trusts_loopback = true;
    return options;
  }

  SessionRegistry registry_;
  std::shared_ptr<rpc::ByteSession> session_;
};

void run(std::string_view deeds) {
  Owner owner;
  Server server(owner);
  testing::TlsClient client;
  Line line(deeds);
  server.hear(kSslRequest, line.piece());
  CHECK(server.take() == "S");
  for (int round = 0; round < 4; ++round) {
    server.hear(line.carry(client.take()), line.piece());
    client.hear(server.take());
  }
  const bool is_honest = !line.is_touched();
  CHECK(client.is_open() || !is_honest);
  for (const std::string_view text : {kStartup, kShow, kShow}) {
    if (client.is_open()) {
      server.hear(line.carry(client.seal(text)), line.piece());
      client.hear(server.take());
    }
    CHECK(!is_honest || text != kStartup || owner.ups == (line.is_touched() ? 0 : 1));
  }
}

}  // namespace
}  // namespace daedalus::postgres

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  daedalus::postgres::run({reinterpret_cast<const char*>(data), size});
  return 0;
}

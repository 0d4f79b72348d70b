// A client sends bytes: frames are cut from them, and messages are read from frames (PostgreSQL's protocol 3.0).
//
// Decides where a message begins and ends, how long it may be, and whether it is one. Refuses to know what it asks for.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <variant>
#include <vector>

#include "daedalus/base/result.hpp"

namespace daedalus::postgres {

/// Most bytes of a message before somebody has logged in (PostgreSQL's MAX_STARTUP_PACKET_LENGTH), and afterwards: a
/// statement of the greatest size with its parameters, and what surrounds them.
constexpr uint32_t kStartupSizeMax = 10'000;
constexpr uint32_t kMessageSizeMax = (16u << 20) + (64u << 10);

/// A client may send this next.
enum class FrameKind : uint8_t {
  kFirst,    ///< Without a type: requests and the startup packet.
  kLogin,    ///< With one, but as short as those before it: of somebody who has not logged in.
  kMessage,  ///< With one, of somebody who has logged in.
};

/// One message as it came: what stands behind its length.
struct Frame {
  char type = 0;  ///< 0 for the first ones, which have none.
  std::string_view body;
};

/// Bytes that have come and are no whole message yet. Holds no more than one message and what came with its end.
class FrameBuffer {
 public:
  void feed(std::string_view bytes) { bytes_.append(bytes); }
  /// The next whole frame, which stays valid until feed() or drop(); nothing while it has not come. Errors: 08P01 a
  /// length that is none, or too long; said as soon as the length has come.
  [[nodiscard]] Result<std::optional<Frame>> next(FrameKind kind);
  /// The latest frame is not to be looked at yet: it is the next one again. Precondition: it is still valid.
  void put_back(const Frame& frame);
  /// Gives back the memory of what has been read, once nobody looks at it any longer.
  void drop_read();
  /// Bytes that wait.
  [[nodiscard]] size_t size() const { return bytes_.size() - read_; }
  void clear();

 private:
  std::string bytes_;
  size_t read_ = 0;
};

// ---- before the login ----
struct SslRequest {};
struct GssRequest {};
struct CancelRequest {
  uint32_t process_id = 0;
  uint32_t secret = 0;
};
struct StartupMessage {
  uint16_t major = 0;
  uint16_t minor = 0;
  std::vector<std::pair<std::string, std::string>> parameters;
};
using FirstMessage = std::variant<SslRequest, GssRequest, CancelRequest, StartupMessage>;

/// Errors: 08P01.
[[nodiscard]] Result<FirstMessage> read_first(std::string_view body);

// ---- during it ----
/// SASLInitialResponse.
struct SaslMessage {
  std::string_view mechanism;
  std::string_view data;
};
/// Errors: 08P01.
[[nodiscard]] Result<SaslMessage> read_sasl(std::string_view body);

// ---- afterwards; texts are borrowed from the frame ----
struct QueryMessage {
  std::string_view sql;
};
struct ParseMessage {
  std::string_view statement;
  std::string_view sql;
  std::vector<uint32_t> parameter_types;  ///< OIDs; 0: not declared.
};
struct BindMessage {
  std::string_view portal;
  std::string_view statement;
  std::vector<int16_t> parameter_formats;
  std::vector<std::optional<std::string_view>> parameters;
  std::vector<int16_t> result_formats;
};
/// A Describe or a Close names a statement ('S') or a portal ('P').
struct TargetMessage {
  char kind = 0;
  std::string_view name;
};
struct ExecuteMessage {
  std::string_view portal;
  uint32_t rows_max = 0;  ///< 0: all.
};

/// Each of them. Errors: 08P01 the message is cut short, has bytes too many, or is none of its kind.
[[nodiscard]] Result<QueryMessage> read_query(std::string_view body);
[[nodiscard]] Result<ParseMessage> read_parse(std::string_view body);
[[nodiscard]] Result<BindMessage> read_bind(std::string_view body);
[[nodiscard]] Result<TargetMessage> read_target(std::string_view body);
[[nodiscard]] Result<ExecuteMessage> read_execute(std::string_view body);

}  // namespace daedalus::postgres

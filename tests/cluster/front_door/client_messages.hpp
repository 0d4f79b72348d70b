// Messages of PostgreSQL's protocol as a client writes and reads them: the plain twin of the product's side.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace daedalus::testing {

/// A value as it travels in text format; none: NULL.
using ValueText = std::optional<std::string>;

// ---- what a client says ----
[[nodiscard]] std::string startup_message(const std::vector<std::pair<std::string, std::string>>& parameters);
[[nodiscard]] std::string cancel_message(uint32_t process_id, uint32_t secret);
[[nodiscard]] std::string query_message(std::string_view sql);
[[nodiscard]] std::string parse_message(std::string_view statement, std::string_view sql);
[[nodiscard]] std::string bind_message(std::string_view portal, std::string_view statement,
                                       const std::vector<ValueText>& parameters);
/// Makes a Describe of a portal.
[[nodiscard]] std::string describe_message(std::string_view portal);
[[nodiscard]] std::string execute_message(std::string_view portal, uint32_t rows_max);
[[nodiscard]] std::string close_message(std::string_view portal);
[[nodiscard]] std::string flush_message();
[[nodiscard]] std::string sync_message();
[[nodiscard]] std::string goodbye_message();

// ---- what it hears ----
struct ServerMessage {
  char type = 0;
  std::string body;
};

/// Cuts messages out of bytes.
class ServerMessages {
 public:
  void feed(std::string_view bytes) { bytes_ += bytes; }
  /// None: it has not come as a whole.
  [[nodiscard]] std::optional<ServerMessage> next();
  [[nodiscard]] bool is_empty() const { return bytes_.empty(); }

 private:
  std::string bytes_;
};

struct FieldSeen {
  std::string name;
  uint32_t type = 0;  ///< OID.

  friend bool operator==(const FieldSeen&, const FieldSeen&) = default;
};
struct ErrorSeen {
  std::string severity;
  std::string sqlstate;
  std::string message;
};

/// Each of them none where the body is not one.
[[nodiscard]] std::optional<std::vector<FieldSeen>> read_row_description(std::string_view body);
[[nodiscard]] std::optional<std::vector<ValueText>> read_data_row(std::string_view body);
[[nodiscard]] std::optional<ErrorSeen> read_error(std::string_view body);
/// A text that a zero byte ends, and nothing behind it.
[[nodiscard]] std::optional<std::string> read_tag(std::string_view body);
/// Process and secret.
[[nodiscard]] std::optional<std::pair<uint32_t, uint32_t>> read_key(std::string_view body);

}  // namespace daedalus::testing

#include "client_messages.hpp"

#include <utility>

#include "daedalus/base/check.hpp"

namespace daedalus::testing {

namespace {

constexpr uint32_t kVersion3 = 3u << 16;
constexpr uint32_t kCancelRequest = 80'877'102;
constexpr size_t kHeaderSize = 5;

std::string number32(uint32_t number) {
  std::string bytes;
  for (int shift = 24; shift >= 0; shift -= 8) {
    bytes.push_back(static_cast<char>(number >> shift & 0xff));
  }
  return bytes;
}

std::string number16(size_t number) { return number32(static_cast<uint32_t>(number)).substr(2); }

std::string text(std::string_view text) { return std::string(text) + '\0'; }

std::string with_length(const std::string& body) { return number32(static_cast<uint32_t>(body.size() + 4)) + body; }

std::string message(char type, const std::string& body) { return type + with_length(body); }

/// Reads a body from its front; once something is missing, all that follows is, too.
class Reader {
 public:
  explicit Reader(std::string_view body) : rest_(body) {}

  uint32_t number(size_t size) {
    uint32_t number = 0;
    for (const char byte : bytes(size)) {
      number = number << 8 | static_cast<uint8_t>(byte);
    }
    return number;
  }
  std::string_view bytes(size_t size) {
    is_sound_ = is_sound_ && rest_.size() >= size;
    const std::string_view taken = rest_.substr(0, is_sound_ ? size : 0);
    rest_.remove_prefix(taken.size());
    return taken;
  }
  std::string text() {
    const size_t end = rest_.find('\0');
    is_sound_ = is_sound_ && end != std::string_view::npos;
    const std::string_view taken = bytes(is_sound_ ? end : 0);
    bytes(1);
    return std::string(taken);
  }
  [[nodiscard]] bool is_sound() const { return is_sound_; }
  [[nodiscard]] bool is_over() const { return is_sound_ && rest_.empty(); }

 private:
  std::string_view rest_;
  bool is_sound_ = true;
};

}  // namespace

std::string startup_message(const std::vector<std::pair<std::string, std::string>>& parameters) {
  std::string body = number32(kVersion3);
  for (const auto& [name, value] : parameters) {
    body += text(name) + text(value);
  }
  return with_length(body + '\0');
}

std::string cancel_message(uint32_t process_id, uint32_t secret) {
  return with_length(number32(kCancelRequest) + number32(process_id) + number32(secret));
}

std::string query_message(std::string_view sql) { return message('Q', text(sql)); }

std::string parse_message(std::string_view statement, std::string_view sql) {
  return message('P', text(statement) + text(sql) + number16(0));
}

std::string bind_message(std::string_view portal, std::string_view statement,
                         const std::vector<ValueText>& parameters) {
  std::string body = text(portal) + text(statement) + number16(0) + number16(parameters.size());
  for (const ValueText& parameter : parameters) {
    body += parameter ? number32(static_cast<uint32_t>(parameter->size())) + *parameter : number32(UINT32_MAX);
  }
  return message('B', body + number16(0));
}

std::string describe_message(std::string_view portal) { return message('D', 'P' + text(portal)); }

std::string execute_message(std::string_view portal, uint32_t rows_max) {
  return message('E', text(portal) + number32(rows_max));
}

std::string close_message(std::string_view portal) { return message('C', 'P' + text(portal)); }
std::string flush_message() { return message('H', {}); }
std::string sync_message() { return message('S', {}); }
std::string goodbye_message() { return message('X', {}); }

std::optional<ServerMessage> ServerMessages::next() {
  if (bytes_.size() < kHeaderSize) {
    return std::nullopt;
  }
  const size_t length = Reader(std::string_view(bytes_).substr(1)).number(4);
  CHECK(length >= 4);
  if (bytes_.size() < length + 1) {
    return std::nullopt;
  }
  ServerMessage message{bytes_[0], bytes_.substr(kHeaderSize, length - 4)};
  bytes_.erase(0, length + 1);
  return message;
}

std::optional<std::vector<FieldSeen>> read_row_description(std::string_view body) {
  Reader reader(body);
  std::vector<FieldSeen> fields;
  for (uint32_t left = reader.number(2); left > 0 && reader.is_sound(); --left) {
    FieldSeen& field = fields.emplace_back();
    field.name = reader.text();
    reader.bytes(6);  // Skips the table and the column that it is of.
    field.type = reader.number(4);
    reader.bytes(6);  // Size and modifier.
    if (reader.number(2) != 0) {
      return std::nullopt;  // Nobody asked for another format.
    }
  }
  return reader.is_over() ? std::optional(std::move(fields)) : std::nullopt;
}

std::optional<std::vector<ValueText>> read_data_row(std::string_view body) {
  Reader reader(body);
  std::vector<ValueText> values;
  for (uint32_t left = reader.number(2); left > 0 && reader.is_sound(); --left) {
    const uint32_t size = reader.number(4);
    values.push_back(size == UINT32_MAX ? ValueText() : ValueText(reader.bytes(size)));
  }
  return reader.is_over() ? std::optional(std::move(values)) : std::nullopt;
}

std::optional<ErrorSeen> read_error(std::string_view body) {
  Reader reader(body);
  ErrorSeen error;
  for (char field = 0; reader.is_sound();) {
    const std::string_view next = reader.bytes(1);
    field = next.empty() ? '\0' : next[0];
    if (field == '\0') {
      break;
    }
    std::string value = reader.text();
    if (field == 'V') {
      error.severity = std::move(value);
    } else if (field == 'C') {
      error.sqlstate = std::move(value);
    } else if (field == 'M') {
      error.message = std::move(value);
    }
  }
  return reader.is_over() && error.sqlstate.size() == 5 && !error.message.empty() ? std::optional(std::move(error))
                                                                                  : std::nullopt;
}

std::optional<std::string> read_tag(std::string_view body) {
  Reader reader(body);
  std::string tag = reader.text();
  return reader.is_over() ? std::optional(std::move(tag)) : std::nullopt;
}

std::optional<std::pair<uint32_t, uint32_t>> read_key(std::string_view body) {
  Reader reader(body);
  const uint32_t process_id = reader.number(4);
  const uint32_t secret = reader.number(4);
  return reader.is_over() ? std::optional(std::pair(process_id, secret)) : std::nullopt;
}

}  // namespace daedalus::testing

#include "messages.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <utility>

#include "daedalus/base/units.hpp"

namespace daedalus::catalogue {

namespace {

constexpr size_t kHeaderSize = 5;
constexpr uint32_t kProtocol = 3u << 16;
/// No message of the server's is longer: a row takes at most what an answer may.
constexpr uint32_t kMessageSizeMax = kAnswerBytesMax + (64u << 10);
/// The bytes behind each column's name: table, number, type, size, modifier, format.
constexpr size_t kColumnSize = 18;

template <typename Integer>
void append_number(Integer value, std::string& out) {
  for (int shift = 8 * (static_cast<int>(sizeof(Integer)) - 1); shift >= 0; shift -= 8) {
    out.push_back(static_cast<char>(static_cast<uint64_t>(value) >> shift));
  }
}

template <typename Integer>
Integer read_number(std::string_view bytes) {
  uint64_t value = 0;
  for (size_t at = 0; at < sizeof(Integer) && at < bytes.size(); ++at) {
    value = value << 8 | static_cast<unsigned char>(bytes[at]);
  }
  return static_cast<Integer>(value);
}

void append_text(std::string_view text, std::string& out) {
  out.append(text);
  out.push_back('\0');
}

/// Closes a message with its length when it goes.
class Writer {
 public:
  Writer(char type, std::string& out) : out_(out) {
    if (type != 0) {
      out_.push_back(type);
    }
    length_at_ = out_.size();
    append_number<uint32_t>(0, out_);
  }
  ~Writer() {
    std::string length;
    append_number(static_cast<uint32_t>(out_.size() - length_at_), length);
    out_.replace(length_at_, length.size(), length);
  }
  Writer(const Writer&) = delete;
  Writer& operator=(const Writer&) = delete;

 private:
  std::string& out_;
  size_t length_at_ = 0;
};

void append_formats(const std::vector<int16_t>& formats, std::string& out) {
  append_number(static_cast<uint16_t>(formats.size()), out);
  for (const int16_t format : formats) {
    append_number(format, out);
  }
}

std::string in_quotes(std::string_view text, char quote) {
  std::string made(1, quote);
  for (const char c : text) {
    made.append(c == quote ? 2 : 1, c);
  }
  made.push_back(quote);
  return made;
}

/// The names of a search path, each as a literal of its own.
std::string path_literals(std::string_view value) {
  std::string made;
  while (!value.empty()) {
    const size_t comma = std::min(value.find(','), value.size());
    std::string_view name = value.substr(0, comma);
    value.remove_prefix(std::min(comma + 1, value.size()));
    const auto is_edge = [](char c) { return c == ' ' || c == '"'; };
    while (!name.empty() && is_edge(name.front())) {
      name.remove_prefix(1);
    }
    while (!name.empty() && is_edge(name.back())) {
      name.remove_suffix(1);
    }
    made += (made.empty() ? "" : ", ") + in_quotes(name, '\'');
  }
  return made.empty() ? "''" : made;
}

std::string begin_text(const Statement& statement) {
  std::string text = "BEGIN READ ONLY";
  for (const auto& [name, value] : statement.settings) {
    text += fmt::format("; SET LOCAL {} = {}", in_quotes(name, '"'),
                        name == "search_path" ? path_literals(value) : in_quotes(value, '\''));
  }
  const int64_t timeout_ms = std::clamp<int64_t>(statement.timeout_ns / kMillisecond, 1, INT32_MAX);
  return text + fmt::format("; SET LOCAL statement_timeout = {}", timeout_ms);
}

}  // namespace

void append_startup(const Login& login, std::string& out) {
  const Writer message(0, out);
  append_number(kProtocol, out);
  for (const std::string_view text : {std::string_view("user"), std::string_view(login.user),
                                      std::string_view("database"), std::string_view(login.database)}) {
    append_text(text, out);
  }
  out.push_back('\0');
}

void append_query(std::string_view sql, std::string& out) {
  const Writer message('Q', out);
  append_text(sql, out);
}

void append_parse(const Statement& statement, std::string& out) {
  const Writer message('P', out);
  append_text({}, out);
  append_text(statement.sql, out);
  append_number(static_cast<uint16_t>(statement.parameter_types.size()), out);
  for (const uint32_t type : statement.parameter_types) {
    append_number(type, out);
  }
}

void append_bind(const Statement& statement, std::string& out) {
  const Writer message('B', out);
  append_text({}, out);
  append_text({}, out);
  append_formats(statement.parameter_formats, out);
  append_number(static_cast<uint16_t>(statement.parameters.size()), out);
  for (const auto& parameter : statement.parameters) {
    append_number(parameter ? static_cast<int32_t>(parameter->size()) : -1, out);
    out.append(parameter.value_or(std::string()));
  }
  append_formats(statement.result_formats, out);
}

void append_describe(char kind, std::string& out) {
  const Writer message('D', out);
  out.push_back(kind);
  append_text({}, out);
}

void append_execute(std::string& out) {
  const Writer message('E', out);
  append_text({}, out);
  append_number<uint32_t>(0, out);
}

void append_row(std::string_view body, std::string& out) {
  const Writer message('D', out);
  out.append(body);
}

void append_plain(char type, std::string& out) { const Writer message(type, out); }

std::string round_of(const Statement& statement) {
  std::string out;
  append_query(begin_text(statement), out);
  append_parse(statement, out);
  if (statement.is_described_only) {
    append_describe('S', out);
  } else {
    append_bind(statement, out);
    append_describe('P', out);
    append_execute(out);
  }
  append_plain('S', out);
  append_query("COMMIT", out);
  append_query("DISCARD ALL", out);
  return out;
}

Result<std::optional<Message>> MessageBuffer::next() {
  const std::string_view rest = std::string_view(bytes_).substr(read_);
  if (rest.size() < kHeaderSize) {
    return std::optional<Message>();
  }
  const auto length = read_number<uint32_t>(rest.substr(1));
  if (length < kHeaderSize - 1 || length > kMessageSizeMax) {
    return rejected("08P01", fmt::format("the catalogue sent a message of {} bytes", length));
  }
  if (rest.size() < 1 + size_t{length}) {
    return std::optional<Message>();
  }
  read_ += 1 + size_t{length};
  return std::optional<Message>(Message{rest[0], rest.substr(kHeaderSize, length + 1 - kHeaderSize)});
}

void MessageBuffer::drop_read() {
  bytes_.erase(0, std::exchange(read_, 0));
  if (bytes_.empty()) {
    bytes_ = {};  // An idle connection keeps nothing.
  }
}

Failure read_failure(std::string_view body) {
  Failure failure{rejected("XX000", "unknown error"), {}};
  while (!body.empty() && body[0] != '\0') {
    const char kind = body[0];
    const size_t end = std::min(body.find('\0'), body.size());
    const std::string_view text = body.substr(1, end - 1);
    body.remove_prefix(std::min(end + 1, body.size()));
    if (kind == 'C') {
      failure.error.sqlstate = text;
    } else if (kind == 'M') {
      failure.error.message = text;
    } else if (kind == 'D') {
      failure.detail = text;
    } else if (kind == 'H') {
      failure.error.hint = text;
    } else if (kind == 'P') {
      static_cast<void>(std::from_chars(text.data(), text.data() + text.size(), failure.error.position));
    }
  }
  return failure;
}

std::vector<uint32_t> read_types(std::string_view body) {
  std::vector<uint32_t> types(read_number<uint16_t>(body));
  for (size_t index = 0; index < types.size(); ++index) {
    const size_t at = sizeof(uint16_t) + index * sizeof(uint32_t);
    types[index] = at < body.size() ? read_number<uint32_t>(body.substr(at)) : 0;
  }
  return types;
}

size_t column_count(const std::string& columns) { return read_number<uint16_t>(columns); }

std::string with_formats(std::string columns, std::span<const int16_t> formats) {
  size_t at = sizeof(uint16_t);
  for (const int16_t format : formats) {
    const size_t end = columns.find('\0', at);
    if (end == std::string::npos || end + 1 + kColumnSize > columns.size()) {
      break;
    }
    at = end + 1 + kColumnSize;
    std::string bytes;
    append_number(format, bytes);
    columns.replace(at - bytes.size(), bytes.size(), bytes);
  }
  return columns;
}

size_t end_of_rows(const std::string& rows, size_t begin, uint64_t& count) {
  uint64_t taken = 0;
  size_t at = begin;
  for (; taken < count && at + kHeaderSize <= rows.size(); ++taken) {
    at += 1 + size_t{read_number<uint32_t>(std::string_view(rows).substr(at + 1))};
  }
  count = taken;
  return std::min(at, rows.size());
}

}  // namespace daedalus::catalogue

#include "frontend.hpp"

#include <fmt/format.h>

#include "byte_order.hpp"

namespace daedalus::postgres {

namespace {

constexpr uint32_t kLengthSize = 4;
constexpr uint32_t kSslRequestCode = 80877103;
constexpr uint32_t kGssRequestCode = 80877104;
constexpr uint32_t kCancelRequestCode = 80877102;
/// An idle connection keeps no more memory than this for what comes next.
constexpr size_t kKeptInputSize = 512;

Error malformed(std::string message) { return rejected("08P01", std::move(message)); }

/// Takes a body apart from its front. Once something was missing, everything after it is empty and is_whole() is false.
class Reader {
 public:
  explicit Reader(std::string_view body) : rest_(body) {}

  template <std::integral Integer>
  Integer integer() {
    const std::string_view bytes = take(sizeof(Integer));
    return bytes.size() == sizeof(Integer) ? read_big_endian<Integer>(bytes) : Integer{0};
  }
  std::string_view text() {
    const size_t end = rest_.find('\0');
    if (end == std::string_view::npos) {
      fail();
      return {};
    }
    const std::string_view text = rest_.substr(0, end);
    rest_.remove_prefix(end + 1);
    return text;
  }
  std::string_view take(size_t size) {
    if (rest_.size() < size) {
      fail();
      return {};
    }
    const std::string_view taken = rest_.substr(0, size);
    rest_.remove_prefix(size);
    return taken;
  }
  /// How many items of at least `item_size` bytes are said to follow; fails when there is no room for them.
  size_t count(size_t item_size) {
    const auto count = integer<uint16_t>();
    if (count * item_size > rest_.size()) {
      fail();
      return 0;
    }
    return count;
  }
  [[nodiscard]] bool is_at_end() const { return rest_.empty(); }
  /// Nothing was missing, and nothing is left.
  [[nodiscard]] bool is_whole() const { return !failed_ && rest_.empty(); }

 private:
  void fail() {
    failed_ = true;
    rest_ = {};
  }

  std::string_view rest_;
  bool failed_ = false;
};

template <typename Message>
Result<Message> whole(const Reader& reader, Message message, const char* name) {
  if (!reader.is_whole()) {
    return malformed(fmt::format("invalid message format: {} is cut short or has bytes too many", name));
  }
  return message;
}

std::vector<int16_t> read_formats(Reader& reader) {
  std::vector<int16_t> formats(reader.count(sizeof(int16_t)));
  for (int16_t& format : formats) {
    format = reader.integer<int16_t>();
  }
  return formats;
}

}  // namespace

Result<std::optional<Frame>> FrameBuffer::next(FrameKind kind) {
  const bool with_type = kind != FrameKind::kFirst;
  const std::string_view waiting = std::string_view(bytes_).substr(read_);
  const size_t type_size = with_type ? 1 : 0;
  if (waiting.size() < type_size + kLengthSize) {
    return std::optional<Frame>();
  }
  const auto length = read_big_endian<uint32_t>(waiting.substr(type_size));
  const bool is_logged_in = kind == FrameKind::kMessage;
  const uint32_t length_max = is_logged_in ? kMessageSizeMax : kStartupSizeMax;
  if (length < kLengthSize || length > length_max) {
    return malformed(fmt::format("invalid message length {}: from {} to {} bytes are allowed{}", length, kLengthSize,
                                 length_max, is_logged_in ? "" : " before a login"));
  }
  if (waiting.size() < type_size + length) {
    return std::optional<Frame>();
  }
  read_ += type_size + length;
  return std::optional<Frame>(
      {with_type ? waiting[0] : '\0', waiting.substr(type_size + kLengthSize, length - kLengthSize)});
}

void FrameBuffer::put_back(const Frame& frame) { read_ -= frame.body.size() + kLengthSize + (frame.type == 0 ? 0 : 1); }

void FrameBuffer::drop_read() {
  if (read_ == 0) {
    return;
  }
  bytes_.erase(0, read_);
  read_ = 0;
  if (bytes_.empty() && bytes_.capacity() > kKeptInputSize) {
    clear();
  }
}

void FrameBuffer::clear() {
  std::string().swap(bytes_);
  read_ = 0;
}

Result<FirstMessage> read_first(std::string_view body) {
  Reader reader(body);
  const auto code = reader.integer<uint32_t>();
  if (code == kSslRequestCode) {
    return whole(reader, FirstMessage(SslRequest{}), "SSLRequest");
  }
  if (code == kGssRequestCode) {
    return whole(reader, FirstMessage(GssRequest{}), "GSSENCRequest");
  }
  if (code == kCancelRequestCode) {
    CancelRequest request;
    request.process_id = reader.integer<uint32_t>();
    request.secret = reader.integer<uint32_t>();
    return whole(reader, FirstMessage(request), "CancelRequest");
  }
  StartupMessage startup;
  startup.major = static_cast<uint16_t>(code >> 16);
  startup.minor = static_cast<uint16_t>(code & 0xffff);
  if (startup.major != 3) {
    return rejected(
        "0A000", fmt::format("unsupported frontend protocol {}.{}: server supports 3.0", startup.major, startup.minor));
  }
  for (std::string_view name = reader.text(); !name.empty(); name = reader.text()) {
    startup.parameters.emplace_back(name, reader.text());
  }
  return whole(reader, FirstMessage(std::move(startup)), "the startup packet");
}

Result<SaslMessage> read_sasl(std::string_view body) {
  Reader reader(body);
  SaslMessage message;
  message.mechanism = reader.text();
  const auto size = reader.integer<int32_t>();
  if (size < 0) {
    return malformed("invalid message format: SASLInitialResponse has no response");
  }
  message.data = reader.take(static_cast<size_t>(size));
  return whole(reader, message, "SASLInitialResponse");
}

Result<QueryMessage> read_query(std::string_view body) {
  Reader reader(body);
  const QueryMessage message{reader.text()};
  return whole(reader, message, "Query");
}

Result<ParseMessage> read_parse(std::string_view body) {
  Reader reader(body);
  ParseMessage message;
  message.statement = reader.text();
  message.sql = reader.text();
  message.parameter_types.resize(reader.count(sizeof(uint32_t)));
  for (uint32_t& type : message.parameter_types) {
    type = reader.integer<uint32_t>();
  }
  return whole(reader, std::move(message), "Parse");
}

Result<BindMessage> read_bind(std::string_view body) {
  Reader reader(body);
  BindMessage message;
  message.portal = reader.text();
  message.statement = reader.text();
  message.parameter_formats = read_formats(reader);
  message.parameters.resize(reader.count(sizeof(int32_t)));
  for (auto& parameter : message.parameters) {
    if (const auto size = reader.integer<int32_t>(); size >= 0) {
      parameter = reader.take(static_cast<size_t>(size));
    } else if (size != -1) {
      return malformed(fmt::format("invalid message format: a parameter of Bind has {} bytes", size));
    }
  }
  message.result_formats = read_formats(reader);
  return whole(reader, std::move(message), "Bind");
}

Result<TargetMessage> read_target(std::string_view body) {
  Reader reader(body);
  TargetMessage message;
  message.kind = reader.integer<char>();
  message.name = reader.text();
  if (message.kind != 'S' && message.kind != 'P') {
    return malformed("invalid message format: Describe and Close name a statement (S) or a portal (P)");
  }
  return whole(reader, message, "Describe or Close");
}

Result<ExecuteMessage> read_execute(std::string_view body) {
  Reader reader(body);
  ExecuteMessage message;
  message.portal = reader.text();
  const auto rows_max = reader.integer<int32_t>();
  message.rows_max = rows_max > 0 ? static_cast<uint32_t>(rows_max) : 0;
  return whole(reader, message, "Execute");
}

}  // namespace daedalus::postgres

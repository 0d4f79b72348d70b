#include "backend.hpp"

#include <fmt/format.h>

#include "byte_order.hpp"

namespace daedalus::postgres {

namespace {

constexpr size_t kBodyLengthSize = 4;
/// 3.0, the newest that is spoken.
constexpr uint32_t kMinorVersion = 3u << 16;
/// Kinds of an authentication request.
constexpr uint32_t kSaslStart = 10;
constexpr uint32_t kSaslContinue = 11;
constexpr uint32_t kSaslFinal = 12;

void append_text(std::string_view text, std::string& out) {
  out.append(text.substr(0, text.find('\0')));
  out.push_back('\0');
}

void append_field(char kind, std::string_view text, std::string& out) {
  if (!text.empty()) {
    out.push_back(kind);
    append_text(text, out);
  }
}

std::string_view name_of(Severity severity) {
  switch (severity) {
    case Severity::kNotice:
      return "NOTICE";
    case Severity::kWarning:
      return "WARNING";
    case Severity::kError:
      return "ERROR";
    case Severity::kFatal:
      return "FATAL";
  }
  return "ERROR";
}

}  // namespace

MessageWriter::MessageWriter(char type, std::string& out) : out_(out), length_at_(out.size() + 1) {
  out_.push_back(type);
  out_.append(kBodyLengthSize, '\0');
}

MessageWriter::~MessageWriter() {
  put_big_endian(static_cast<uint32_t>(out_.size() - length_at_), out_.data() + length_at_);
}

void append_authentication_ok(std::string& out) {
  const MessageWriter message('R', out);
  append_big_endian<uint32_t>(0, out);
}

void append_sasl(std::span<const std::string_view> mechanisms, std::string& out) {
  const MessageWriter message('R', out);
  append_big_endian(kSaslStart, out);
  for (const std::string_view mechanism : mechanisms) {
    append_text(mechanism, out);
  }
  out.push_back('\0');
}

void append_sasl_continue(std::string_view data, std::string& out) {
  const MessageWriter message('R', out);
  append_big_endian(kSaslContinue, out);
  out.append(data);
}

void append_sasl_final(std::string_view data, std::string& out) {
  const MessageWriter message('R', out);
  append_big_endian(kSaslFinal, out);
  out.append(data);
}

void append_negotiate_version(std::span<const std::string> unknown_options, std::string& out) {
  const MessageWriter message('v', out);
  append_big_endian<uint32_t>(kMinorVersion, out);
  append_big_endian(static_cast<uint32_t>(unknown_options.size()), out);
  for (const std::string& option : unknown_options) {
    append_text(option, out);
  }
}

void append_parameter_status(std::string_view name, std::string_view value, std::string& out) {
  const MessageWriter message('S', out);
  append_text(name, out);
  append_text(value, out);
}

void append_backend_key(uint32_t process_id, uint32_t secret, std::string& out) {
  const MessageWriter message('K', out);
  append_big_endian(process_id, out);
  append_big_endian(secret, out);
}

void append_ready(BlockState state, std::string& out) {
  const MessageWriter message('Z', out);
  out.push_back(static_cast<char>(state));
}

void append_error(Severity severity, const Error& error, ErrorTexts texts, std::string& out) {
  const bool is_notice = severity == Severity::kNotice || severity == Severity::kWarning;
  const MessageWriter message(is_notice ? 'N' : 'E', out);
  append_field('S', name_of(severity), out);
  append_field('V', name_of(severity), out);
  append_field('C', error.sqlstate.empty() ? "XX000" : error.sqlstate, out);
  append_field('M', error.message.empty() ? "unknown error" : error.message, out);
  append_field('D', texts.detail, out);
  append_field('H', error.hint, out);
  if (error.position > 0) {
    append_field('P', fmt::format("{}", error.position), out);
  }
  append_field('W', texts.context, out);
  out.push_back('\0');
}

void append_command_complete(std::string_view tag, std::string& out) {
  const MessageWriter message('C', out);
  append_text(tag, out);
}

void append_row_description(std::span<const Field> fields, std::string& out) {
  const MessageWriter message('T', out);
  append_big_endian(static_cast<uint16_t>(fields.size()), out);
  for (const Field& field : fields) {
    append_text(field.name, out);
    append_big_endian(field.table, out);
    append_big_endian(field.number, out);
    append_big_endian(field.type, out);
    append_big_endian(field.size, out);
    append_big_endian(field.modifier, out);
    append_big_endian(field.format, out);
  }
}

void append_parameter_description(std::span<const uint32_t> types, std::string& out) {
  const MessageWriter message('t', out);
  append_big_endian(static_cast<uint16_t>(types.size()), out);
  for (const uint32_t type : types) {
    append_big_endian(type, out);
  }
}

void append_plain(char type, std::string& out) { const MessageWriter message(type, out); }

}  // namespace daedalus::postgres

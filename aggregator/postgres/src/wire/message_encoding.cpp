#include "message_encoding.hpp"

#include <algorithm>
#include <cstdint>
#include <iterator>
#include <string_view>
#include <vector>

#include "byte_order.hpp"
#include "value_format.hpp"

namespace daedalus::postgres {

namespace {

/// A message that becomes another one, part by part. Parts that are not there are left out.
class BodyDecoder {
 public:
  BodyDecoder(std::string_view body, ClientEncoding encoding) : rest_(body), encoding_(encoding) {}

  /// A text up to its zero byte.
  void take_text() { decode(std::min(rest_.find('\0'), rest_.size() - 1) + 1); }
  void take_bytes(size_t count) {
    made_ += rest_.substr(0, count);
    rest_.remove_prefix(std::min(count, rest_.size()));
  }
  template <typename Number>
  Number take_number() {
    const Number number = rest_.size() < sizeof(Number) ? Number{} : read_big_endian<Number>(rest_);
    take_bytes(sizeof(Number));
    return number;
  }
  /// A length and so many bytes of a text.
  void take_value(bool is_text) {
    const auto size = take_number<int32_t>();
    if (size <= 0) {
      return;
    }
    if (!is_text) {
      return take_bytes(static_cast<size_t>(size));
    }
    const size_t begin = made_.size();
    decode(static_cast<size_t>(size));
    put_big_endian(static_cast<uint32_t>(made_.size() - begin), made_.data() + begin - sizeof(uint32_t));
  }
  [[nodiscard]] Result<std::string> made() {
    take_bytes(rest_.size());
    return mistake_ ? Result<std::string>(*mistake_) : std::move(made_);
  }

 private:
  void decode(size_t count) {
    const auto text = decoded(encoding_, rest_.substr(0, count));
    if (text) {
      made_ += *text;
    } else if (!mistake_) {
      mistake_ = text.error();
    }
    rest_.remove_prefix(std::min(count, rest_.size()));
  }

  std::string_view rest_;
  ClientEncoding encoding_;
  std::string made_;
  std::optional<Error> mistake_;
};

void take_bind(BodyDecoder& body) {
  body.take_text();
  body.take_text();
  std::vector<int16_t> formats(body.take_number<uint16_t>());
  std::generate(formats.begin(), formats.end(), [&] { return body.take_number<int16_t>(); });
  const auto count = body.take_number<uint16_t>();
  for (size_t index = 0; index < count; ++index) {
    const bool has_own = formats.size() > 1 && index < formats.size();
    const int16_t format = has_own ? formats[index] : formats.size() == 1 ? formats[0] : kTextFormat;
    body.take_value(format == kTextFormat);
  }
}

/// Types of PostgreSQL's whose binary form is a text: "char", name, text, json, unknown, bpchar, varchar.
constexpr uint32_t kTexts[] = {18, 19, 25, 114, 705, 1042, 1043};

/// Which columns of the catalogue's are texts; `columns` is a RowDescription's body.
std::vector<bool> which_are_texts(std::string_view columns) {
  constexpr size_t kTypeAt = 6;     // Behind the name, table and number.
  constexpr size_t kFormatAt = 16;  // The last two of the 18 bytes there.
  constexpr size_t kColumnSize = 18;
  std::vector<bool> are_texts(catalogue::column_count(std::string(columns)));
  size_t at = sizeof(uint16_t);
  for (size_t column = 0; column < are_texts.size(); ++column) {
    at = columns.find('\0', at) + 1;
    const auto type = read_big_endian<uint32_t>(columns.substr(at + kTypeAt));
    const auto format = read_big_endian<int16_t>(columns.substr(at + kFormatAt));
    are_texts[column] =
        format == kTextFormat || std::find(std::begin(kTexts), std::end(kTexts), type) != std::end(kTexts);
    at += kColumnSize;
  }
  return are_texts;
}

Result<void> append_encoded_row(std::string_view row, const std::vector<bool>& are_texts, ClientEncoding encoding,
                                std::string& out) {
  const MessageWriter message('D', out);
  append_big_endian(read_big_endian<uint16_t>(row), out);
  row.remove_prefix(sizeof(uint16_t));
  for (const bool is_text : are_texts) {
    const auto size = read_big_endian<int32_t>(row);
    row.remove_prefix(sizeof(int32_t));
    const size_t length_at = out.size();
    append_big_endian(size, out);
    if (size < 0) {
      continue;
    }
    const auto done =
        append_encoded(is_text ? encoding : ClientEncoding::kUtf8, row.substr(0, static_cast<size_t>(size)), out);
    if (!done) {
      return done;
    }
    row.remove_prefix(static_cast<size_t>(size));
    put_big_endian(static_cast<uint32_t>(out.size() - length_at - sizeof(uint32_t)), out.data() + length_at);
  }
  return {};
}

}  // namespace

Result<std::string> decoded_body(const Frame& frame, ClientEncoding encoding) {
  BodyDecoder body(frame.body, encoding);
  if (frame.body.empty()) {
    return std::string();
  }
  switch (frame.type) {
    case 'Q':
    case 'E':
      body.take_text();
      break;
    case 'P':
      body.take_text();
      body.take_text();
      break;
    case 'C':
    case 'D':
      body.take_bytes(1);
      body.take_text();
      break;
    case 'B':
      take_bind(body);
      break;
    default:
      break;
  }
  return body.made();
}

void append_encoded_error(ClientEncoding encoding, const ToldError& told, std::string& out) {
  if (encoding == ClientEncoding::kUtf8) {
    return append_error(told.severity, told.error, told.texts, out);
  }
  Error error = told.error;
  std::string detail;
  std::string context;
  error.message.clear();
  error.hint.clear();
  for (const auto& [text, made] : {std::pair<std::string_view, std::string*>(told.error.message, &error.message),
                                   std::pair<std::string_view, std::string*>(told.error.hint, &error.hint),
                                   std::pair<std::string_view, std::string*>(told.texts.detail, &detail),
                                   std::pair<std::string_view, std::string*>(told.texts.context, &context)}) {
    if (auto done = append_encoded(encoding, text, *made); !done) {
      return append_error(told.severity, done.error(), {}, out);
    }
  }
  append_error(told.severity, error, {detail, context}, out);
}

Result<std::string> encoded_columns(const std::string& columns, ClientEncoding encoding) {
  constexpr size_t kColumnSize = 18;
  if (encoding == ClientEncoding::kUtf8) {
    return columns;
  }
  std::string made = columns.substr(0, sizeof(uint16_t));
  for (size_t at = made.size(); at < columns.size();) {
    const size_t end = columns.find('\0', at);
    if (auto done = append_encoded(encoding, std::string_view(columns).substr(at, end - at), made); !done) {
      return done.error();
    }
    made.append(columns, end, 1 + kColumnSize);
    at = end + 1 + kColumnSize;
  }
  return made;
}

Result<void> encode_rows(catalogue::Answer& answer, ClientEncoding encoding) {
  if (encoding == ClientEncoding::kUtf8) {
    return {};
  }
  const std::vector<bool> are_texts = which_are_texts(answer.columns);
  std::string rows;
  for (size_t at = 0; at < answer.rows.size();) {
    uint64_t one = 1;
    const size_t end = catalogue::end_of_rows(answer.rows, at, one);
    const std::string_view row =
        std::string_view(answer.rows).substr(at + kMessageHeadSize, end - at - kMessageHeadSize);
    if (auto done = append_encoded_row(row, are_texts, encoding, rows); !done) {
      return done;
    }
    at = end;
  }
  answer.rows = std::move(rows);
  return {};
}

}  // namespace daedalus::postgres

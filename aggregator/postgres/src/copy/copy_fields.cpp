#include "copy_fields.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "daedalus/semantics/characters.hpp"
#include "daedalus/semantics/utf8.hpp"

namespace daedalus::postgres {

namespace {

constexpr size_t kShownSizeMax = 100;

bool is_octal(char c) { return c >= '0' && c <= '7'; }

int hex_digit(char c) {
  if (c >= '0' && c <= '9') {
    return c - '0';
  }
  const char low = static_cast<char>(c | 0x20);
  return low >= 'a' && low <= 'f' ? low - 'a' + 10 : -1;
}

/// Reads escapes off the front of what follows a backslash.
class Unescaper {
 public:
  explicit Unescaper(std::string& out) : out_(out) {}

  /// Takes what belongs to the backslash before `at`; where the text goes on. Precondition: at < text.size().
  size_t take(std::string_view text, size_t at) {
    const char c = text[at];
    if (is_octal(c)) {
      return take_octal(text, at);
    }
    if (c == 'x' && at + 1 < text.size() && hex_digit(text[at + 1]) >= 0) {
      return take_hex(text, at + 1);
    }
    constexpr std::string_view kLetters = "bfnrtv";
    constexpr std::string_view kMeanings = "\b\f\n\r\t\v";
    const size_t letter = kLetters.find(c);
    out_.push_back(letter == std::string_view::npos ? c : kMeanings[letter]);
    return at + 1;
  }
  /// Returns whether a number made a byte that is no ASCII, or zero.
  [[nodiscard]] bool is_doubtful() const { return is_doubtful_; }

 private:
  void put(int byte) {
    const auto c = static_cast<unsigned char>(byte & 0xff);
    is_doubtful_ = is_doubtful_ || c == 0 || c >= 0x80;
    out_.push_back(static_cast<char>(c));
  }
  size_t take_octal(std::string_view text, size_t at) {
    int value = 0;
    const size_t end = std::min(at + 3, text.size());
    for (; at < end && is_octal(text[at]); ++at) {
      value = value * 8 + (text[at] - '0');
    }
    put(value);
    return at;
  }
  size_t take_hex(std::string_view text, size_t at) {
    int value = 0;
    const size_t end = std::min(at + 2, text.size());
    for (; at < end && hex_digit(text[at]) >= 0; ++at) {
      value = value * 16 + hex_digit(text[at]);
    }
    put(value);
    return at;
  }

  std::string& out_;
  bool is_doubtful_ = false;
};

/// A field of text that has a backslash; it ends at a delimiter that none protects.
size_t end_of_escaped(std::string_view line, size_t begin, char delimiter) {
  size_t at = begin;
  while (at < line.size() && line[at] != delimiter) {
    at += line[at] == '\\' ? 2 : 1;
  }
  return at;
}

Result<std::string_view> unescape(std::string_view raw, std::string& out) {
  const size_t begin = out.size();
  Unescaper unescaper(out);
  for (size_t at = 0; at < raw.size();) {
    if (raw[at] == '\\') {
      at = unescaper.take(raw, at + 1);
    } else {
      out.push_back(raw[at++]);
    }
  }
  const std::string_view made = std::string_view(out).substr(begin);
  if (unescaper.is_doubtful() && !semantics::is_valid_text(made)) {
    return wrong_encoding(made);
  }
  return made;
}

/// A backslash that ends the last line, with nothing to stand before, means nothing.
std::string_view without_last_backslash(std::string_view line) {
  const size_t end = line.find_last_not_of('\\');
  const size_t run = line.size() - (end == std::string_view::npos ? 0 : end + 1);
  return run % 2 == 0 ? line : line.substr(0, line.size() - 1);
}

Result<void> split_text(const CopyOptions& options, std::string_view line, CopyFields& out) {
  line = without_last_backslash(line);
  for (size_t begin = 0;;) {
    size_t end = begin;
    while (end < line.size() && line[end] != options.delimiter && line[end] != '\\') {
      ++end;
    }
    const bool has_escape = end < line.size() && line[end] == '\\';
    if (has_escape) {
      end = end_of_escaped(line, end, options.delimiter);
    }
    const std::string_view raw = line.substr(begin, end - begin);
    auto made = has_escape ? unescape(raw, out.unescaped) : Result<std::string_view>(raw);
    if (!made) {
      return made.error();
    }
    out.fields.push_back(raw == options.null_text ? CopyField() : CopyField(*made));
    if (end >= line.size()) {
      return {};
    }
    begin = end + 1;
  }
}

/// One field of CSV, read from the front of the rest of a line.
class CsvField {
 public:
  CsvField(const CopyOptions& options, std::string_view line, size_t begin, std::string& out)
      : options_(options), line_(line), begin_(begin), at_(begin), out_(out) {}

  /// Errors: 22P04.
  [[nodiscard]] Result<CopyField> read() {
    skip_to_end();
    if (at_ >= line_.size() || line_[at_] != options_.quote) {
      const std::string_view raw = line_.substr(begin_, at_ - begin_);
      return raw == options_.null_text ? CopyField() : CopyField(raw);
    }
    const size_t made = out_.size();
    out_.append(line_.substr(begin_, at_ - begin_));
    while (at_ < line_.size() && line_[at_] == options_.quote) {
      ++at_;
      if (!take_quoted()) {
        return rejected("22P04", "unterminated CSV quoted field");
      }
      const size_t plain = at_;
      skip_to_end();
      out_.append(line_.substr(plain, at_ - plain));
    }
    return CopyField(std::string_view(out_).substr(made));
  }
  /// The place of its delimiter, or of the line's end.
  [[nodiscard]] size_t end() const { return at_; }

 private:
  void skip_to_end() {
    while (at_ < line_.size() && line_[at_] != options_.delimiter && line_[at_] != options_.quote) {
      ++at_;
    }
  }
  /// Up to the quote that closes; false: there is none.
  bool take_quoted() {
    while (at_ < line_.size()) {
      const char c = line_[at_++];
      const bool is_escape =
          c == options_.escape && at_ < line_.size() && (line_[at_] == options_.escape || line_[at_] == options_.quote);
      if (is_escape) {
        out_.push_back(line_[at_++]);
      } else if (c == options_.quote) {
        return true;
      } else {
        out_.push_back(c);
      }
    }
    return false;
  }

  const CopyOptions& options_;
  const std::string_view line_;
  const size_t begin_;
  size_t at_;
  std::string& out_;
};

Result<void> split_csv(const CopyOptions& options, std::string_view line, CopyFields& out) {
  for (size_t begin = 0;;) {
    CsvField field(options, line, begin, out.unescaped);
    auto read = field.read();
    if (!read) {
      return read.error();
    }
    out.fields.push_back(*read);
    if (field.end() >= line.size()) {
      return {};
    }
    begin = field.end() + 1;
  }
}

/// Bytes of the character that begins so, as PostgreSQL counts them.
size_t character_size(char first) {
  const auto byte = static_cast<unsigned char>(first);
  return byte < 0x80 ? 1 : (byte & 0xe0) == 0xc0 ? 2 : (byte & 0xf0) == 0xe0 ? 3 : (byte & 0xf8) == 0xf0 ? 4 : 1;
}

}  // namespace

Result<void> split_line(const CopyOptions& options, std::string_view line, CopyFields& out) {
  out.fields.clear();
  out.unescaped.clear();
  out.unescaped.reserve(line.size());  // No field is longer than what stands for it, so none moves.
  return options.format == CopyFormat::kCsv ? split_csv(options, line, out) : split_text(options, line, out);
}

Error wrong_encoding(std::string_view text) {
  size_t at = 0;
  size_t size = 1;
  for (; at < text.size(); at += size) {
    size = std::min(character_size(text[at]), text.size() - at);
    if (!semantics::is_valid_text(text.substr(at, size))) {
      break;
    }
  }
  std::string bytes;
  for (const char c : text.substr(std::min(at, text.size()), size)) {
    bytes += fmt::format("{}0x{:02x}", bytes.empty() ? "" : " ", static_cast<unsigned char>(c));
  }
  return rejected("22021", fmt::format("invalid byte sequence for encoding \"UTF8\": {}", bytes));
}

std::string shortened(std::string_view text) {
  return std::string(semantics::first_bytes(text, kShownSizeMax)) + (text.size() <= kShownSizeMax ? "" : "...");
}

}  // namespace daedalus::postgres

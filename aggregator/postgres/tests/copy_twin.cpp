#include "copy_twin.hpp"

#include "copy_fields.hpp"
#include "copy_lines.hpp"

namespace daedalus::postgres::testing {

namespace {

/// A field that grows: as it stands there, and as it is meant.
struct Growing {
  std::string raw;
  std::string meant;
  bool was_quoted = false;
};

class Plain {
 public:
  Plain(const CopyOptions& options, std::string_view bytes) : options_(options), bytes_(bytes) {}

  CopyLinesSeen read() {
    while (at_ < bytes_.size() && !is_over_ && seen_.mistake.empty()) {
      options_.format == CopyFormat::kCsv ? step_csv() : step_text();
    }
    if (seen_.mistake.empty() && is_quoted_) {
      seen_.mistake = "unterminated CSV quoted field";
    }
    if (seen_.mistake.empty() && !is_line_empty_) {
      end_line();
    }
    return seen_;
  }

 private:
  char next() const { return at_ + 1 < bytes_.size() ? bytes_[at_ + 1] : '\0'; }
  bool is_marked() const { return next() == '.' && at_ + 2 < bytes_.size() && bytes_[at_ + 2] == '\n'; }

  void end_field() {
    const bool is_null = !field_.was_quoted && field_.raw == options_.null_text;
    row_.push_back(is_null ? std::nullopt : std::optional(field_.meant));
    field_ = {};
  }
  void end_line() {
    end_field();
    seen_.rows.push_back(row_);
    row_.clear();
    is_line_empty_ = true;
  }
  void take(char raw, char meant) {
    field_.raw += raw;
    field_.meant += meant;
  }
  /// Takes a step that both formats have; false: it is none of that.
  bool step_common() {
    const char c = bytes_[at_];
    if (c == '\n') {
      end_line();
    } else if (c == options_.delimiter) {
      is_line_empty_ = false;
      end_field();
    } else {
      return false;
    }
    ++at_;
    return true;
  }

  void step_text() {
    if (step_common()) {
      return;
    }
    if (bytes_[at_] != '\\') {
      is_line_empty_ = false;
      take(bytes_[at_], bytes_[at_]);
      ++at_;
      return;
    }
    if (is_marked()) {
      is_over_ = true;
      return;
    }
    if (next() == '.') {
      seen_.mistake = "end-of-copy marker corrupt";
      return;
    }
    is_line_empty_ = false;
    if (++at_ < bytes_.size()) {  // The last character of all means nothing.
      field_.raw += '\\';
      step_escape();
    }
  }

  void step_escape() {
    const std::string_view letters = "bfnrtv";
    const char c = bytes_[at_++];
    field_.raw += c;
    if (c >= '0' && c <= '7') {
      field_.meant += static_cast<char>(number(c - '0', 8, 2));
    } else if (c == 'x' && at_ < bytes_.size() && digit(bytes_[at_], 16) >= 0) {
      field_.meant += static_cast<char>(number(0, 16, 2));
    } else if (letters.find(c) != std::string_view::npos) {
      field_.meant += "\b\f\n\r\t\v"[letters.find(c)];
    } else {
      field_.meant += c;
    }
  }
  static int digit(char c, int base) {
    const int value = c >= '0' && c <= '9' ? c - '0' : c >= 'a' && c <= 'f' ? c - 'a' + 10 : 99;
    return value < base ? value : -1;
  }
  int number(int value, int base, int digits_max) {
    for (; digits_max > 0 && at_ < bytes_.size() && digit(bytes_[at_], base) >= 0; --digits_max) {
      value = value * base + digit(bytes_[at_], base);
      field_.raw += bytes_[at_++];
    }
    return value;
  }

  void step_csv() {
    const char c = bytes_[at_];
    if (is_quoted_) {
      if (c == options_.escape && (next() == options_.escape || next() == options_.quote) && at_ + 1 < bytes_.size()) {
        field_.meant += next();
        at_ += 2;
        return;
      }
      is_quoted_ = c != options_.quote;
      field_.meant += is_quoted_ ? std::string(1, c) : std::string();
      ++at_;
      return;
    }
    if (c == '\\' && is_line_empty_ && is_marked()) {
      is_over_ = true;
      return;
    }
    if (step_common()) {
      return;
    }
    is_line_empty_ = false;
    is_quoted_ = c == options_.quote;
    field_.was_quoted = field_.was_quoted || is_quoted_;
    if (!is_quoted_) {
      take(c, c);
    }
    ++at_;
  }

  const CopyOptions& options_;
  const std::string_view bytes_;
  size_t at_ = 0;
  CopyLinesSeen seen_;
  std::vector<std::optional<std::string>> row_;
  Growing field_;
  bool is_line_empty_ = true;
  bool is_quoted_ = false;
  bool is_over_ = false;
};

}  // namespace

CopyLinesSeen plain_copy(const CopyOptions& options, std::string_view bytes) { return Plain(options, bytes).read(); }

CopyLinesSeen split_copy(const CopyOptions& options, std::string_view bytes, size_t piece) {
  CopyLinesSeen seen;
  CopyLines lines(options);
  CopyFields fields;
  for (size_t begin = 0; seen.mistake.empty() && begin <= bytes.size(); begin += piece) {
    lines.feed(bytes.substr(begin, piece));
    if (begin + piece > bytes.size()) {
      lines.end();
    }
    for (auto line = lines.next(); seen.mistake.empty(); line = lines.next()) {
      if (!line) {
        seen.mistake = line.error().message;
        break;
      }
      if (!*line) {
        break;
      }
      if (auto split = split_line(options, **line, fields); !split) {
        seen.mistake = split.error().message;
        break;
      }
      auto& row = seen.rows.emplace_back();
      for (const CopyField& field : fields.fields) {
        row.push_back(field ? std::optional(std::string(*field)) : std::nullopt);
      }
    }
  }
  return seen;
}

}  // namespace daedalus::postgres::testing

#include "copy_lines.hpp"

#include <fmt/format.h>

#include <utility>

namespace daedalus::postgres {

namespace {

constexpr char kNoCharacter = '\0';

Error corrupt(const char* message) { return rejected("22P04", message); }

}  // namespace

CopyLines::CopyLines(const CopyOptions& options)
    : is_csv_(options.format == CopyFormat::kCsv),
      quote_(is_csv_ ? options.quote : kNoCharacter),
      escape_(is_csv_ && options.escape != options.quote ? options.escape : kNoCharacter) {}

void CopyLines::feed(std::string_view bytes) {
  if (is_over_) {
    return;  // Bytes behind \. are ignored.
  }
  bytes_.erase(0, begin_);
  at_ -= begin_;
  begin_ = 0;
  bytes_.append(bytes);
}

Result<std::optional<std::string_view>> CopyLines::next() {
  const std::optional<std::string_view> nothing;
  if (is_over_) {
    return nothing;
  }
  if (!is_counted_ && at_ < bytes_.size()) {
    is_counted_ = true;
    ++line_number_;
  }
  for (;;) {
    skip_plain();
    if (at_ - begin_ > kLineSizeMax) {
      return rejected("54000", fmt::format("a line of COPY has more than {} bytes", kLineSizeMax));
    }
    if (at_ >= bytes_.size()) {
      if (!has_ended_) {
        return nothing;
      }
      is_over_ = true;
      const std::string_view last = take_line(bytes_.size(), bytes_.size());
      return last.empty() ? nothing : std::optional(last);
    }
    const auto step = this->step();
    if (!step) {
      return step.error();
    }
    if (*step == Step::kWait) {
      return nothing;
    }
    if (*step == Step::kLine) {
      return std::optional(take_line(end_, at_));
    }
    if (*step == Step::kLast) {
      is_over_ = true;
      const std::string_view last = take_line(end_, bytes_.size());
      return last.empty() ? nothing : std::optional(last);
    }
  }
}

std::string_view CopyLines::take_line(size_t end, size_t next_begin) {
  const std::string_view line = std::string_view(bytes_).substr(begin_, end - begin_);
  begin_ = at_ = next_begin;
  is_counted_ = is_quoted_ = is_escaped_ = false;
  return line;
}

void CopyLines::skip_plain() {
  const char* const text = bytes_.data();
  const size_t size = bytes_.size();
  if (is_csv_) {
    const size_t before = at_;
    while (at_ < size && text[at_] != '\n' && text[at_] != '\r' && text[at_] != quote_ && text[at_] != '\\' &&
           text[at_] != escape_) {
      ++at_;
    }
    is_escaped_ = is_escaped_ && at_ == before;
  } else {
    while (at_ < size && text[at_] != '\n' && text[at_] != '\r' && text[at_] != '\\') {
      ++at_;
    }
  }
}

void CopyLines::note_quote(char c) {
  if (is_quoted_ && escape_ != kNoCharacter && c == escape_) {
    is_escaped_ = !is_escaped_;
  }
  if (c == quote_ && !is_escaped_) {
    is_quoted_ = !is_quoted_;
  }
  if (c != escape_ || escape_ == kNoCharacter) {
    is_escaped_ = false;
  }
  if (is_quoted_ && c == (line_end_ == LineEnd::kNewline ? '\n' : '\r')) {
    ++line_number_;
  }
}

Result<CopyLines::Step> CopyLines::step() {
  const char c = bytes_[at_];
  if ((c == '\r' || c == '\\') && !is_whole(1)) {
    return Step::kWait;
  }
  if (c == '\\' && (!is_csv_ || at_ == begin_) && peek(1) == '.' && !is_whole(3)) {
    return Step::kWait;  // More bytes have to say whether it is the end's mark.
  }
  if (is_csv_) {
    note_quote(c);
  }
  if (c == '\r' && !is_quoted_) {
    return step_return();
  }
  if (c == '\n' && !is_quoted_) {
    return step_newline();
  }
  if (c == '\\' && (!is_csv_ || at_ == begin_)) {
    return step_backslash();
  }
  ++at_;
  return Step::kOn;
}

Error CopyLines::literal(const char* what, const char* escape) const {
  return rejected("22P04", fmt::format("{} {} found in data", is_csv_ ? "unquoted" : "literal", what),
                  is_csv_ ? fmt::format("Use quoted CSV field to represent {}.", what)
                          : fmt::format("Use \"{}\" to represent {}.", escape, what));
}

Result<CopyLines::Step> CopyLines::step_return() {
  const bool is_pair = (line_end_ == LineEnd::kUnknown || line_end_ == LineEnd::kReturnNewline) && peek(1) == '\n';
  if (line_end_ == LineEnd::kNewline || (line_end_ == LineEnd::kReturnNewline && !is_pair)) {
    return literal("carriage return", "\\r");
  }
  line_end_ = is_pair ? LineEnd::kReturnNewline : LineEnd::kReturn;
  end_ = at_;
  at_ += is_pair ? 2 : 1;
  return Step::kLine;
}

Result<CopyLines::Step> CopyLines::step_newline() {
  if (line_end_ == LineEnd::kReturn || line_end_ == LineEnd::kReturnNewline) {
    return literal("newline", "\\n");
  }
  line_end_ = LineEnd::kNewline;
  end_ = at_++;
  return Step::kLine;
}

Result<CopyLines::Step> CopyLines::step_backslash() {
  if (at_ + 1 >= bytes_.size()) {  // The last character of all.
    ++at_;
    return Step::kOn;
  }
  if (peek(1) == '.') {
    return step_marker();
  }
  // Whatever follows it in text is no end of a line.
  at_ += is_csv_ ? 1 : 2;
  return Step::kOn;
}

/// Behind a backslash and a dot. In CSV both may be data, alone on their line excepted.
Result<CopyLines::Step> CopyLines::step_marker() {
  const bool is_pair = line_end_ == LineEnd::kReturnNewline;
  const char first = peek(2);
  const char last = is_pair ? peek(3) : first;
  if (is_pair && first == '\n' && !is_csv_) {
    return corrupt("end-of-copy marker does not match previous newline style");
  }
  if ((is_pair && first != '\r') || (last != '\r' && last != '\n')) {
    if (!is_csv_) {
      return corrupt("end-of-copy marker corrupt");
    }
    ++at_;
    return Step::kOn;
  }
  const char wanted = line_end_ == LineEnd::kReturn ? '\r' : '\n';
  if (line_end_ != LineEnd::kUnknown && last != wanted) {
    return corrupt("end-of-copy marker does not match previous newline style");
  }
  end_ = at_;
  return Step::kLast;
}

}  // namespace daedalus::postgres

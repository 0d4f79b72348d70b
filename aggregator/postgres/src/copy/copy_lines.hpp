// Lines of COPY's text and CSV formats, out of bytes that come in any pieces.
//
// Decides where a line ends, as PostgreSQL 15 does: the first line's end is every line's, a backslash protects what
// follows it in text, a quote in CSV, and \. ends it all. Refuses to know fields.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

#include "copy_options.hpp"
#include "daedalus/base/result.hpp"

namespace daedalus::postgres {

class CopyLines {
 public:
  explicit CopyLines(const CopyOptions& options);

  /// More bytes; a line that was given is not valid any longer.
  void feed(std::string_view bytes);
  /// No more will come: what is left is the last line.
  void end() { has_ended_ = true; }

  /// The next line without its end, valid until feed(). Nothing: more bytes are needed, or it is all over. Errors:
  /// 22P04 with PostgreSQL's words, 54000 a line of more than kLineSizeMax.
  [[nodiscard]] Result<std::optional<std::string_view>> next();
  /// The line that was given last, or that an error is about; from 1. Newlines within quotes count, as in PostgreSQL.
  [[nodiscard]] uint64_t line_number() const { return line_number_; }
  /// Returns whether nothing will come any more.
  [[nodiscard]] bool is_over() const { return is_over_; }

  static constexpr size_t kLineSizeMax = 8u << 20;

 private:
  enum class LineEnd : uint8_t { kUnknown, kNewline, kReturn, kReturnNewline };
  /// A character goes on in its line, ends it, ends all, or has to wait for the next one.
  enum class Step : uint8_t { kOn, kLine, kLast, kWait };

  [[nodiscard]] bool is_whole(size_t more) const { return has_ended_ || at_ + more < bytes_.size(); }
  /// The character behind so many, zero behind the end.
  [[nodiscard]] char peek(size_t more) const { return at_ + more < bytes_.size() ? bytes_[at_ + more] : '\0'; }
  /// Passes what is nothing but itself.
  void skip_plain();
  [[nodiscard]] Result<Step> step();
  [[nodiscard]] Result<Step> step_return();
  [[nodiscard]] Result<Step> step_newline();
  [[nodiscard]] Result<Step> step_backslash();
  [[nodiscard]] Result<Step> step_marker();
  void note_quote(char c);
  [[nodiscard]] Error literal(const char* what, const char* escape) const;
  std::string_view take_line(size_t end, size_t next_begin);

  const bool is_csv_;
  const char quote_;
  const char escape_;  ///< Zero where it is the quote: quotes in pairs open and close.
  std::string bytes_;
  size_t begin_ = 0;  ///< The line begins there.
  size_t at_ = 0;     ///< Everything before it has been looked at.
  size_t end_ = 0;    ///< The line ends there, once that is known.
  LineEnd line_end_ = LineEnd::kUnknown;
  bool is_quoted_ = false;
  bool is_escaped_ = false;
  bool is_counted_ = false;  ///< The line that has begun is in line_number_.
  bool has_ended_ = false;
  bool is_over_ = false;
  uint64_t line_number_ = 0;
};

}  // namespace daedalus::postgres

#include "command_words.hpp"

#include <utility>

namespace daedalus::postgres {

namespace {

/// Bytes of a name (PostgreSQL's NAMEDATALEN, but for the zero behind it).
constexpr size_t kNameSizeMax = 63;
/// As much of a token as a message shows.
constexpr size_t kShownMax = 64;

bool is_continuation(char c) { return (static_cast<unsigned char>(c) & 0xc0) == 0x80; }

}  // namespace

std::string Words::take_name() {
  std::string name = take_text();
  if (name.size() > kNameSizeMax) {
    size_t size = kNameSizeMax;
    while (size > 0 && is_continuation(name[size])) {
      --size;
    }
    name.resize(size);
  }
  return name;
}

std::optional<int64_t> Words::take_integer() {
  const size_t from = at_;
  const bool is_negative = take_symbol("-");
  if (!is_negative) {
    static_cast<void>(take_symbol("+"));
  }
  if (!is_at_end() && word().kind == Kind::kNumber) {
    const std::string_view text = word().text;
    int32_t number = 0;
    const auto [end, problem] = std::from_chars(text.data(), text.data() + text.size(), number);
    if (problem == std::errc() && end == text.data() + text.size()) {
      ++at_;
      return is_negative ? -int64_t{number} : int64_t{number};
    }
  }
  at_ = from;
  return std::nullopt;
}

std::string Words::rest() {
  std::string text;
  for (; !is_at_end(); ++at_) {
    const bool is_first = text.empty() || text.back() == '-' || text.back() == '+';
    text += is_symbol(",") || is_first ? "" : " ";
    text += word().kind == Kind::kQuoted ? aggregator::unquoted(word()) : std::string(word().text);
  }
  return text;
}

bool begins_query(const Words& words) {
  return words.is("select") || words.is("values") || words.is("with") || words.is("table") || words.is_symbol("(");
}

RefusedCommand refuse(std::string_view name, std::string hint) {
  return {rejected("0A000", fmt::format("{} is not supported", name), std::move(hint))};
}

RefusedCommand syntax_error(const Words& words) {
  const std::string where =
      words.is_at_end() ? "at end of input" : fmt::format("at or near \"{}\"", words.word().text.substr(0, kShownMax));
  return {rejected("42601", fmt::format("syntax error {}", where))};
}

}  // namespace daedalus::postgres

#include "daedalus/postgres/users.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <charconv>
#include <utility>

#include "daedalus/semantics/utf8.hpp"
#include "digests.hpp"

namespace daedalus::postgres {

namespace {

constexpr std::string_view kBlanks = " \t\r";
constexpr std::string_view kBlockWritesRefuse = "block_writes=refuse";
constexpr std::string_view kBlockWritesImmediate = "block_writes=immediate";
constexpr std::string_view kSaltKey = "#salt-key";
constexpr std::string_view kScheme = "SCRAM-SHA-256$";
constexpr std::array<std::pair<std::string_view, Role>, 3> kRoles{
    {{"reader", Role::kReader}, {"writer", Role::kWriter}, {"operator", Role::kOperator}}};

/// The text before `mark`, which is taken away with it; all of it where there is none.
std::string_view take_until(std::string_view& rest, char mark) {
  const size_t end = rest.find(mark);
  const std::string_view taken = rest.substr(0, end);
  rest.remove_prefix(end == std::string_view::npos ? rest.size() : end + 1);
  return taken;
}

std::string_view take_word(std::string_view& rest) {
  rest.remove_prefix(std::min(rest.find_first_not_of(kBlanks), rest.size()));
  const std::string_view word = rest.substr(0, rest.find_first_of(kBlanks));
  rest.remove_prefix(word.size());
  return word;
}

std::optional<ScramVerifier> read_verifier(std::string_view text) {
  if (!text.starts_with(kScheme)) {
    return std::nullopt;
  }
  text.remove_prefix(kScheme.size());
  ScramVerifier verifier;
  const std::string_view iterations = take_until(text, ':');
  const auto [end, problem] =
      std::from_chars(iterations.data(), iterations.data() + iterations.size(), verifier.iterations);
  auto salt = from_base64(take_until(text, '$'));
  auto stored_key = from_base64(take_until(text, ':'));
  auto server_key = from_base64(text);
  const bool is_fine = problem == std::errc() && end == iterations.data() + iterations.size() &&
                       verifier.iterations > 0 && verifier.iterations <= kScramIterationsMax && salt &&
                       !salt->empty() && salt->size() <= kScramSaltSizeMax && stored_key &&
                       stored_key->size() == kDigestSize && server_key && server_key->size() == kDigestSize;
  if (!is_fine) {
    return std::nullopt;
  }
  verifier.salt = std::move(*salt);
  verifier.stored_key = std::move(*stored_key);
  verifier.server_key = std::move(*server_key);
  return verifier;
}

/// Returns the mistake of a line that begins with #; empty: it has none.
std::string read_remark(std::string_view line, Users& users) {
  if (take_word(line) != kSaltKey) {
    return {};
  }
  auto key = from_base64(take_word(line));
  const bool is_fine = key && key->size() >= kSaltKeySizeMin && key->size() <= kSaltKeySizeMax &&
                       take_word(line).empty() && users.salt_key.empty();
  if (!is_fine) {
    return fmt::format("{} stands once, with the base64 of {} to {} bytes", kSaltKey, kSaltKeySizeMin, kSaltKeySizeMax);
  }
  users.salt_key = std::move(*key);
  return {};
}

/// Returns the mistake of a line; empty: it has none, and its user is in `users`.
std::string read_line(std::string_view line, Users& users) {
  if (line.empty() || line.front() == '#') {
    return read_remark(line, users);
  }
  const std::string_view name = take_word(line);
  const std::string_view role = take_word(line);
  const std::string_view verifier = take_word(line);
  const std::string_view block_writes = take_word(line);
  const bool is_known =
      block_writes.empty() || block_writes == kBlockWritesRefuse || block_writes == kBlockWritesImmediate;
  if (verifier.empty() || !is_known || !take_word(line).empty()) {
    return "a line is NAME ROLE VERIFIER [block_writes=refuse|immediate]";
  }
  if (name.size() > kUserNameSizeMax || !semantics::is_valid_text(name)) {
    return fmt::format("a user's name has up to {} bytes of UTF-8", kUserNameSizeMax);
  }
  User user;
  const auto* const known =
      std::find_if(kRoles.begin(), kRoles.end(), [&](const auto& it) { return it.first == role; });
  if (known == kRoles.end()) {
    return fmt::format("the role of \"{}\" is not reader, writer or operator", name);
  }
  user.role = known->second;
  if (!block_writes.empty()) {
    user.writes_at_once = block_writes == kBlockWritesImmediate;
  }
  if (verifier != "-") {
    user.verifier = read_verifier(verifier);
    if (!user.verifier) {
      return fmt::format("the verifier of \"{}\" is not SCRAM-SHA-256$ITERATIONS:SALT$STOREDKEY:SERVERKEY", name);
    }
  }
  if (users.by_name.size() >= kUsersMax) {
    return fmt::format("there are more than {} users", kUsersMax);
  }
  return users.by_name.emplace(name, std::move(user)).second ? std::string()
                                                             : fmt::format("\"{}\" is there a second time", name);
}

}  // namespace

std::string_view name_of(Role role) { return kRoles[static_cast<size_t>(role)].first; }

Result<Users> parse_users(std::string_view text) {
  Users users;
  for (size_t number = 1; !text.empty(); ++number) {
    std::string_view line = take_until(text, '\n');
    line.remove_prefix(std::min(line.find_first_not_of(kBlanks), line.size()));
    if (const std::string problem = read_line(line, users); !problem.empty()) {
      return Error{ErrorCategory::kFatal, "F0000", fmt::format("line {}: {}", number, problem),
                   "`daedalus user` writes this file", 0};
    }
  }
  return users;
}

}  // namespace daedalus::postgres

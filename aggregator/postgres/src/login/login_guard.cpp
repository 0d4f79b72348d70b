#include "daedalus/postgres/login_guard.hpp"

#include <algorithm>

#include "digests.hpp"

namespace daedalus::postgres {

namespace {

/// PostgreSQL and `daedalus user` give a verifier these, so a made-up one looks the same.
constexpr uint32_t kMockIterations = 4'096;
constexpr size_t kMockSaltSize = 16;
constexpr size_t kNonceSize = 18;

std::string random_bytes(const std::function<uint64_t()>& random, size_t size) {
  std::string bytes;
  while (bytes.size() < size) {
    const uint64_t bits = random();
    bytes.append(reinterpret_cast<const char*>(&bits), std::min(sizeof(bits), size - bytes.size()));
  }
  return bytes;
}

}  // namespace

LoginGuard::LoginGuard(std::function<uint64_t()> random)
    : random_(std::move(random)), mock_secret_(random_bytes(random_, kDigestSize)) {}

std::optional<Role> LoginGuard::role_of(std::string_view user) const {
  if (users_ == nullptr) {
    return std::nullopt;
  }
  const auto found = users_->by_name.find(user);
  return found == users_->by_name.end() ? std::nullopt : std::optional<Role>(found->second.role);
}

std::optional<bool> LoginGuard::writes_at_once(std::string_view user) const {
  if (users_ == nullptr) {
    return std::nullopt;
  }
  const auto found = users_->by_name.find(user);
  return found == users_->by_name.end() ? std::nullopt : found->second.writes_at_once;
}

LoginGuard::Challenge LoginGuard::challenge(std::string_view user) const {
  if (users_ != nullptr) {
    const auto found = users_->by_name.find(user);
    if (found != users_->by_name.end() && found->second.verifier) {
      return {*found->second.verifier, /*is_mock=*/false};
    }
  }
  const bool has_key = users_ != nullptr && !users_->salt_key.empty();
  const std::string digest = hmac_sha256(has_key ? users_->salt_key : mock_secret_, user);
  return {ScramVerifier{kMockIterations, digest.substr(0, kMockSaltSize), digest, digest}, /*is_mock=*/true};
}

std::string LoginGuard::draw_nonce() const { return to_base64(random_bytes(random_, kNonceSize)); }

std::optional<Instant> LoginGuard::on_try(const Suspect& suspect, bool is_right, Instant now) {
  auto found = suspects_.find(suspect);
  if (found != suspects_.end() && now >= after(found->second.next, kForgetNs)) {
    suspects_.erase(found);
    found = suspects_.end();
  }
  const Instant begin = found == suspects_.end() ? now : std::max(now, found->second.next);
  if (begin > after(now, kRowNsMax)) {
    ++counts_.refused;
    return std::nullopt;
  }
  if (is_right) {
    ++counts_.accepted;
    if (found != suspects_.end()) {
      found->second.failures = 0;  // Tries that already stand in the row have been told when they are due.
    }
    return begin;
  }
  ++counts_.failed;
  if (found == suspects_.end()) {
    make_room(now);
    found = suspects_.emplace(suspect, Record{}).first;
  }
  Record& record = found->second;
  int64_t delay = kDelayMinNs;
  for (uint32_t failure = 0; failure < record.failures && delay < kDelayMaxNs; ++failure) {
    delay *= 2;
  }
  ++record.failures;
  record.next = after(begin, std::min(delay, kDelayMaxNs));
  return record.next;
}

void LoginGuard::make_room(Instant now) {
  if (suspects_.size() < kSuspectsMax) {
    return;
  }
  std::erase_if(suspects_, [&](const auto& entry) { return now >= after(entry.second.next, kForgetNs); });
  if (suspects_.size() >= kSuspectsMax) {
    suspects_.erase(std::min_element(suspects_.begin(), suspects_.end(),
                                     [](const auto& a, const auto& b) { return a.second.next < b.second.next; }));
  }
}

}  // namespace daedalus::postgres

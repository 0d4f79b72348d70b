#include "postgres_access.hpp"

#include <fmt/format.h>
#include <spdlog/spdlog.h>
#include <sys/stat.h>

#include <cerrno>
#include <chrono>
#include <cstring>
#include <fstream>
#include <optional>
#include <utility>

#include "daedalus/configuration/table.hpp"

namespace daedalus::aggregator {

namespace {

constexpr std::chrono::seconds kBetweenLooks(1);
/// A certificate with all that it was signed with, or all authorities of clients.
constexpr size_t kPemSizeMax = 1u << 20;

Error unreadable(const std::string& path, const std::string& why) {
  return Error{ErrorCategory::kFatal, "F0000", fmt::format("cannot read {}: {}", path, why),
               "correct the path, or let this process read it", 0};
}

/// Errors: F0000 it cannot be read, or is larger than that.
Result<std::string> read_file(const std::string& path, size_t size_max) {
  std::ifstream file(path, std::ios::binary);
  std::string content(size_max + 1, '\0');
  if (!file) {
    return unreadable(path, std::strerror(errno));
  }
  file.read(content.data(), static_cast<std::streamsize>(content.size()));
  if (file.bad()) {
    return unreadable(path, std::strerror(errno));
  }
  content.resize(static_cast<size_t>(file.gcount()));
  content.shrink_to_fit();
  if (content.size() > size_max) {
    return unreadable(path, fmt::format("it has more than {} bytes", size_max));
  }
  return content;
}

bool exists(const std::string& path) {
  struct stat found {};
  return stat(path.c_str(), &found) == 0 || errno != ENOENT;
}

}  // namespace

Result<std::shared_ptr<const postgres::Users>> read_users(const PostgresPaths& paths) {
  if (paths.users.empty() || !exists(paths.users)) {
    return std::shared_ptr<const postgres::Users>();
  }
  const auto text = read_file(paths.users, postgres::kUsersFileSizeMax);
  if (!text) {
    return text.error();
  }
  auto users = postgres::parse_users(*text);
  if (!users) {
    Error error = users.error();
    error.message = fmt::format("{}, {}", paths.users, error.message);
    return error;
  }
  return std::make_shared<const postgres::Users>(std::move(*users));
}

Result<std::shared_ptr<const postgres::TlsContext>> read_tls(const PostgresPaths& paths) {
  if (paths.certificate.empty()) {
    return std::shared_ptr<const postgres::TlsContext>();
  }
  postgres::TlsTexts texts;
  for (const auto& [path, text] : {std::pair(&paths.certificate, &texts.certificates),
                                   std::pair(&paths.key, &texts.key), std::pair(&paths.client_ca, &texts.client_ca)}) {
    if (path->empty()) {
      continue;
    }
    auto content = read_file(*path, kPemSizeMax);
    if (!content) {
      return content.error();
    }
    *text = std::move(*content);
  }
  return postgres::TlsContext::make(texts);
}

PostgresAccess::PostgresAccess(PostgresPaths paths, Handlers handlers)
    : paths_(std::move(paths)), handlers_(std::move(handlers)) {
  if (paths_.users.empty() && paths_.certificate.empty()) {
    return;  // Nothing is there to be looked at.
  }
  look();
  thread_ = std::thread([this] { watch(); });
}

PostgresAccess::~PostgresAccess() {
  {
    const std::lock_guard lock(mutex_);
    is_stopping_ = true;
  }
  stopping_.notify_one();
  if (thread_.joinable()) {
    thread_.join();
  }
}

void PostgresAccess::watch() {
  std::unique_lock lock(mutex_);
  while (!stopping_.wait_for(lock, kBetweenLooks, [this] { return is_stopping_; })) {
    lock.unlock();
    look();
    lock.lock();
  }
}

void PostgresAccess::look() {
  // The stamps come first: what is written while it is read is read once more.
  if (Stamp stamp = stamp_of({&paths_.users}); stamp != users_stamp_) {
    users_stamp_ = std::move(stamp);
    read_users_again();
  }
  if (Stamp stamp = stamp_of({&paths_.certificate, &paths_.key, &paths_.client_ca}); stamp != tls_stamp_) {
    tls_stamp_ = std::move(stamp);
    read_tls_again();
  }
}

PostgresAccess::Stamp PostgresAccess::stamp_of(std::initializer_list<const std::string*> paths) {
  Stamp stamp;
  for (const std::string* const path : paths) {
    struct stat found {};
    if (path->empty()) {
      stamp += "unnamed ";
    } else if (stat(path->c_str(), &found) != 0) {
      stamp += fmt::format("error {} ", errno);
    } else {
      stamp += fmt::format("{}.{} {} {} ", found.st_mtim.tv_sec, found.st_mtim.tv_nsec, found.st_size, found.st_ino);
    }
  }
  return stamp;
}

void PostgresAccess::read_users_again() {
  if (paths_.users.empty()) {
    return;
  }
  auto users = read_users(paths_);
  if (!users) {
    spdlog::error("the users of PostgreSQL's port stay what they are: {}", configuration::to_line(users.error()));
    return;
  }
  if (*users == nullptr) {
    spdlog::warn("there is no {}: nobody may log in at PostgreSQL's port; `daedalus user add --users {}` makes it",
                 paths_.users, paths_.users);
  } else {
    spdlog::info("{} users may log in at PostgreSQL's port", (*users)->by_name.size());
    if ((*users)->salt_key.empty()) {
      spdlog::warn("{} has no key of salts, so they tell by a restart who is no user; `daedalus user add` writes one",
                   paths_.users);
    }
  }
  handlers_.on_users(std::move(*users));
}

void PostgresAccess::read_tls_again() {
  if (paths_.certificate.empty()) {
    return;
  }
  auto tls = read_tls(paths_);
  if (!tls) {
    spdlog::error("the certificate of PostgreSQL's port stays what it is: {}", configuration::to_line(tls.error()));
    return;
  }
  spdlog::info("connections to PostgreSQL's port are encrypted with {}", paths_.certificate);
  handlers_.on_tls(std::move(*tls));
}

}  // namespace daedalus::aggregator

// The files that say who may come in by PostgreSQL's protocol, and with what connections are encrypted.
//
// Decides when they are read again. What is in them is judged by the postgres library.
#pragma once

#include <condition_variable>
#include <functional>
#include <memory>
#include <mutex>
#include <string>
#include <thread>

#include "daedalus/base/result.hpp"
#include "daedalus/postgres/tls_context.hpp"
#include "daedalus/postgres/users.hpp"

namespace daedalus::aggregator {

/// Empty: there is none.
struct PostgresPaths {
  std::string users;
  std::string certificate;
  std::string key;
  std::string client_ca;
};

/// Null when no file is named, or the one that is does not exist. Errors (F0000) name file and line.
[[nodiscard]] Result<std::shared_ptr<const postgres::Users>> read_users(const PostgresPaths& paths);
/// Null when no certificate is named. Errors (F0000) name what is wrong.
[[nodiscard]] Result<std::shared_ptr<const postgres::TlsContext>> read_tls(const PostgresPaths& paths);

/// Looks at the files again and again, on a thread of its own: a disk may take its time.
class PostgresAccess {
 public:
  struct Handlers {
    std::function<void(std::shared_ptr<const postgres::Users>)> on_users;
    std::function<void(std::shared_ptr<const postgres::TlsContext>)> on_tls;
  };

  /// Reads both before it returns, and tells; then tells, from its thread, what has changed. What is damaged is logged
  /// and what there was stays; a users file that is gone lets nobody in.
  PostgresAccess(PostgresPaths paths, Handlers handlers);
  ~PostgresAccess();
  PostgresAccess(const PostgresAccess&) = delete;
  PostgresAccess& operator=(const PostgresAccess&) = delete;

 private:
  /// The mark that a file is known by; another one when the file was written or replaced.
  using Stamp = std::string;
  void watch();
  void look();
  [[nodiscard]] static Stamp stamp_of(std::initializer_list<const std::string*> paths);
  void read_users_again();
  void read_tls_again();

  const PostgresPaths paths_;
  const Handlers handlers_;
  Stamp users_stamp_;
  Stamp tls_stamp_;
  std::mutex mutex_;
  std::condition_variable stopping_;
  bool is_stopping_ = false;
  std::thread thread_;
};

}  // namespace daedalus::aggregator

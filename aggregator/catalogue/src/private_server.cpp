#include "daedalus/catalogue/private_server.hpp"

#include <fmt/format.h>
#include <poll.h>
#include <pwd.h>
#include <spdlog/spdlog.h>
#include <sys/eventfd.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <chrono>
#include <csignal>
#include <cstring>
#include <filesystem>
#include <fstream>
#include <optional>
#include <thread>
#include <utility>
#include <vector>

#include "child.hpp"
#include "daedalus/base/units.hpp"
#include "data_folder.hpp"

namespace daedalus::catalogue {

namespace {

namespace fs = std::filesystem;

constexpr int64_t kStartNsMax = 30 * kSecond;
constexpr int64_t kLookNs = 10 * kMillisecond;  ///< Between looks whether it is ready.
constexpr int64_t kPauseNsMin = 100 * kMillisecond;
constexpr int64_t kPauseNsMax = 30 * kSecond;
constexpr int64_t kSteadyNs = 60 * kSecond;  ///< Having run so long, it is started again at once.
/// Between the signals of a stop, each ruder than the one before it.
constexpr int64_t kStopNs = 2 * kSecond;
/// After so many starts that failed data are made afresh.
constexpr uint32_t kStartsMax = 5;

/// The settings that a server with one empty table needs, and those that bound its clients.
constexpr const char* kSettings[] = {"listen_addresses=",
                                     "unix_socket_permissions=0700",
                                     "max_connections=24",
                                     "shared_buffers=4MB",
                                     "work_mem=4MB",
                                     "temp_file_limit=64MB",
                                     "max_wal_senders=0",
                                     "wal_level=minimal",
                                     "max_worker_processes=0",
                                     "max_parallel_workers=0",
                                     "max_parallel_workers_per_gather=0",
                                     "autovacuum=off",
                                     "jit=off",
                                     "huge_pages=off",
                                     "track_activities=off",
                                     "track_counts=off",
                                     "update_process_title=off",
                                     "bgwriter_lru_maxpages=0",
                                     "checkpoint_timeout=1d",
                                     "client_connection_check_interval=500ms",
                                     "log_min_messages=log",
                                     "logging_collector=off",
                                     "log_checkpoints=off",
                                     "log_timezone=UTC",
                                     "timezone=UTC",
                                     "lc_messages=C"};

int64_t steady_ns() {
  return std::chrono::duration_cast<std::chrono::nanoseconds>(std::chrono::steady_clock::now().time_since_epoch())
      .count();
}

/// A folder for the socket alone: its path has to be short.
class SocketFolder {
 public:
  explicit SocketFolder(const std::optional<RunAs>& run_as) {
    std::string name = "/tmp/daedalus-catalogue-XXXXXX";
    if (mkdtemp(name.data()) == nullptr || (run_as && chown(name.c_str(), run_as->user, run_as->group) != 0)) {
      spdlog::error("the catalogue has no folder for its socket: {}", std::strerror(errno));
      return;
    }
    path_ = std::move(name);
  }
  ~SocketFolder() {
    std::error_code ignored;  // Files that are left do no harm.
    if (!path_.empty()) {
      fs::remove_all(path_, ignored);
    }
  }
  SocketFolder(const SocketFolder&) = delete;
  SocketFolder& operator=(const SocketFolder&) = delete;
  [[nodiscard]] const std::string& path() const { return path_; }
  [[nodiscard]] std::string socket() const { return path_ + "/.s.PGSQL.5432"; }

 private:
  std::string path_;
};

/// Nothing: this process is not root. Errors: 58000 there is no such user.
Result<std::optional<RunAs>> whom_to_run_as(const std::string& user) {
  if (geteuid() != 0) {
    return std::optional<RunAs>();
  }
  const passwd* const found = getpwnam(user.c_str());
  if (found == nullptr || found->pw_uid == 0) {
    return rejected("58000", fmt::format("there is no user \"{}\" to run PostgreSQL as, which refuses root", user));
  }
  return std::optional<RunAs>(RunAs{found->pw_uid, found->pw_gid});
}

/// Returns whether this server is ready: its lock file, which begins with its number, ends with the word.
bool says_ready(const std::string& data, pid_t server) {
  std::ifstream file(data + "/postmaster.pid");
  std::string line;
  if (!std::getline(file, line) || line != std::to_string(server)) {
    return false;
  }
  bool is_ready = false;
  while (std::getline(file, line)) {
    is_ready = line.starts_with("ready");
  }
  return is_ready;
}

/// Processes of PostgreSQL's that have these data: of an earlier life of this process, or of a server that has died.
std::vector<pid_t> leftovers(const std::string& data) {
  std::vector<pid_t> found;
  std::error_code ignored;  // They come and go, and those of others cannot be looked at.
  for (const auto& entry : fs::directory_iterator("/proc", ignored)) {
    const std::string name = entry.path().filename();
    const bool is_process = name.find_first_not_of("0123456789") == std::string::npos;
    std::string program;
    if (is_process && fs::read_symlink(entry.path() / "cwd", ignored) == fs::path(data) &&
        std::getline(std::ifstream(entry.path() / "comm"), program) && program == "postgres") {
      found.push_back(static_cast<pid_t>(std::stol(name)));
    }
  }
  return found;
}

void end_leftovers(const std::string& data) {
  const int64_t until = steady_ns() + kStopNs;
  for (auto left = leftovers(data); !left.empty() && steady_ns() < until; left = leftovers(data)) {
    for (const pid_t process : left) {
      spdlog::warn("process {} of an earlier server of the catalogue is ended", process);
      kill(process, SIGKILL);
    }
    std::this_thread::sleep_for(std::chrono::nanoseconds(kLookNs));
  }
}

}  // namespace

std::optional<std::string> what_is_missing(const std::string& programs) {
  for (const char* const program : {"/postgres", "/initdb", "/pg_resetwal"}) {
    if (access((programs + program).c_str(), X_OK) != 0) {
      return fmt::format("there is no PostgreSQL in {}", programs);
    }
  }
  return std::nullopt;
}

class PrivateServer::Thread {
 public:
  Thread(PrivateServerOptions options, std::function<void(const ServerState&)> on_state)
      : options_(std::move(options)), on_state_(std::move(on_state)), stop_(eventfd(0, EFD_CLOEXEC)) {
    thread_ = std::thread([this] { work(); });
  }
  ~Thread() {
    eventfd_write(stop_, 1);
    thread_.join();
    close(stop_);
  }
  Thread(const Thread&) = delete;
  Thread& operator=(const Thread&) = delete;

 private:
  void work();
  void keep();
  /// One life of the server, from its data to its end.
  void live(const DataFolder& folder, const std::optional<RunAs>& run_as);
  [[nodiscard]] Result<Child> start(const DataFolder& folder, const std::optional<RunAs>& run_as,
                                    const SocketFolder& socket);
  void stop_server(Child& server) const;
  void fail(ServerState::Kind kind, const std::string& reason);
  void tell(ServerState state);
  /// Waits; true once this process wants an end of it.
  [[nodiscard]] bool is_stopped_within(int64_t duration_ns) const;
  [[nodiscard]] bool is_stopped() const { return is_stopped_within(0); }

  const PrivateServerOptions options_;
  const std::function<void(const ServerState&)> on_state_;
  const int stop_;
  ServerState told_;
  uint32_t failed_starts_ = 0;  ///< In a row.
  int64_t pause_ns_ = kPauseNsMin;
  std::thread thread_;
};

void PrivateServer::Thread::work() {
  keep();
  std::error_code ignored;  // Files that are left do no harm.
  if (options_.is_temporary) {
    fs::remove_all(options_.directory, ignored);
  }
}

void PrivateServer::Thread::keep() {
  while (!is_stopped()) {
    const auto run_as = whom_to_run_as(options_.user);
    if (auto missing = what_is_missing(options_.programs)) {
      fail(ServerState::Kind::kMissing, *missing);
    } else if (!run_as) {
      fail(ServerState::Kind::kFailed, run_as.error().message);
    } else {
      live(DataFolder(options_, *run_as), *run_as);
    }
    if (is_stopped_within(pause_ns_)) {
      return;
    }
    pause_ns_ = std::min(2 * pause_ns_, kPauseNsMax);
  }
}

void PrivateServer::Thread::live(const DataFolder& folder, const std::optional<RunAs>& run_as) {
  if (told_.kind == ServerState::Kind::kOff || told_.kind == ServerState::Kind::kMissing) {
    tell({ServerState::Kind::kStarting, {}, {}, 0});
  }
  if (auto prepared = folder.prepare(); !prepared) {
    return fail(ServerState::Kind::kFailed, prepared.error().message);
  }
  end_leftovers(folder.current());
  if (!folder.is_current() || failed_starts_ >= kStartsMax) {
    failed_starts_ = 0;
    const int64_t began = steady_ns();
    if (auto made = folder.make(stop_); !made) {
      return fail(ServerState::Kind::kFailed, made.error().message);
    }
    spdlog::info("the catalogue's data are made, in {} ms", (steady_ns() - began) / kMillisecond);
  }
  const SocketFolder socket(run_as);
  if (socket.path().empty()) {
    return fail(ServerState::Kind::kFailed, "there is no folder for its socket");
  }
  auto server = start(folder, run_as, socket);
  if (!server) {
    ++failed_starts_;
    spdlog::warn("the catalogue's server does not start: {}", server.error().message);
    if (told_.kind != ServerState::Kind::kStarting || failed_starts_ >= kStartsMax) {
      fail(ServerState::Kind::kFailed, server.error().message);
    }
    return;
  }
  failed_starts_ = 0;
  const int64_t began = steady_ns();
  tell({ServerState::Kind::kRunning, {}, socket.socket(), folder.table_oid()});
  const auto status = server->wait(stop_, -1);
  if (!status) {
    return stop_server(*server);
  }
  pause_ns_ = steady_ns() - began >= kSteadyNs ? kPauseNsMin : pause_ns_;
  const std::string reason = fmt::format("its server {}", to_text(*status));
  spdlog::error("the catalogue's server {}; it is started again: {}", to_text(*status), folder.end_of_log());
  tell({ServerState::Kind::kStarting, reason, {}, 0});
}

Result<Child> PrivateServer::Thread::start(const DataFolder& folder, const std::optional<RunAs>& run_as,
                                           const SocketFolder& socket) {
  std::error_code ignored;  // There may be none.
  fs::remove(folder.log(), ignored);
  Program program;
  program.words = {options_.programs + "/postgres", "-D", folder.current(), "-c",
                   "unix_socket_directories=" + socket.path()};
  for (const char* const setting : kSettings) {
    program.words.insert(program.words.end(), {"-c", setting});
  }
  program.log = folder.log();
  program.directory = options_.directory;
  program.run_as = run_as;
  program.memory_max = kMemoryMax;
  auto server = Child::start(program);
  if (!server) {
    return server;
  }
  for (const int64_t until = steady_ns() + kStartNsMax; !says_ready(folder.current(), server->id());) {
    if (const auto status = server->wait(stop_, kLookNs)) {
      return rejected("58000", fmt::format("postgres {}: {}", to_text(*status), folder.end_of_log()));
    }
    if (steady_ns() > until || is_stopped()) {
      stop_server(*server);
      return rejected("58000", fmt::format("postgres is not ready: {}", folder.end_of_log()));
    }
  }
  return server;
}

void PrivateServer::Thread::stop_server(Child& server) const {
  for (const int signal : {SIGINT, SIGQUIT, SIGKILL}) {
    server.send(signal);
    if (server.wait(-1, kStopNs)) {
      return;
    }
  }
}

void PrivateServer::Thread::fail(ServerState::Kind kind, const std::string& reason) {
  ServerState state{kind, reason, {}, 0};
  if (state != told_ && !is_stopped()) {
    spdlog::warn("the catalogue is not served: {}", reason);
  }
  tell(std::move(state));
}

void PrivateServer::Thread::tell(ServerState state) {
  if (state != told_) {
    told_ = std::move(state);
    on_state_(told_);
  }
}

bool PrivateServer::Thread::is_stopped_within(int64_t duration_ns) const {
  pollfd stop{stop_, POLLIN, 0};
  return poll(&stop, 1, static_cast<int>(duration_ns / kMillisecond)) > 0;
}

PrivateServer::PrivateServer(PrivateServerOptions options, std::function<void(const ServerState&)> on_state)
    : thread_(std::make_unique<Thread>(std::move(options), std::move(on_state))) {}
PrivateServer::~PrivateServer() = default;

}  // namespace daedalus::catalogue

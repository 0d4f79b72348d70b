#include "child.hpp"

#include <fcntl.h>
#include <fmt/format.h>
#include <poll.h>
#include <spawn.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cerrno>
#include <csignal>
#include <cstring>
#include <utility>

#include "daedalus/base/units.hpp"

namespace daedalus::catalogue {

namespace {

/// Nothing of this process's environment reaches PostgreSQL.
constexpr const char* kEnvironment[] = {"PATH=/usr/bin:/bin:/usr/sbin:/sbin", "LC_ALL=C", "TZ=UTC", nullptr};
constexpr mode_t kLogMode = 0600;

/// The words that set limits and users, each a program that becomes the next one.
std::vector<std::string> all_words(const Program& program) {
  std::vector<std::string> words;
  if (program.memory_max > 0) {
    words = {"prlimit", fmt::format("--as={0}:{0}", program.memory_max), "--"};
  }
  words.insert(words.end(), {"setpriv", "--pdeathsig", "INT"});
  if (program.run_as) {
    words.push_back(fmt::format("--reuid={}", program.run_as->user));
    words.push_back(fmt::format("--regid={}", program.run_as->group));
    words.emplace_back("--clear-groups");
  }
  words.emplace_back("--");
  words.insert(words.end(), program.words.begin(), program.words.end());
  return words;
}

/// Lists what the new process does before the program begins.
class Actions {
 public:
  explicit Actions(const Program& program) {
    posix_spawn_file_actions_init(&actions_);
    const char* const input = program.input.empty() ? "/dev/null" : program.input.c_str();
    posix_spawn_file_actions_addopen(&actions_, STDIN_FILENO, input, O_RDONLY, 0);
    posix_spawn_file_actions_addopen(&actions_, STDOUT_FILENO, program.log.c_str(), O_WRONLY | O_CREAT | O_APPEND,
                                     kLogMode);
    posix_spawn_file_actions_adddup2(&actions_, STDOUT_FILENO, STDERR_FILENO);
    posix_spawn_file_actions_addchdir_np(&actions_, program.directory.c_str());
    posix_spawn_file_actions_addclosefrom_np(&actions_, STDERR_FILENO + 1);
    posix_spawnattr_init(&attributes_);
    sigset_t none;
    sigemptyset(&none);
    sigset_t all;
    sigfillset(&all);
    posix_spawnattr_setsigmask(&attributes_, &none);
    posix_spawnattr_setsigdefault(&attributes_, &all);
    // A group of its own: a Ctrl-C at the terminal is for this process, which then stops it.
    posix_spawnattr_setpgroup(&attributes_, 0);
    posix_spawnattr_setflags(&attributes_, POSIX_SPAWN_SETSIGMASK | POSIX_SPAWN_SETSIGDEF | POSIX_SPAWN_SETPGROUP);
  }
  ~Actions() {
    posix_spawn_file_actions_destroy(&actions_);
    posix_spawnattr_destroy(&attributes_);
  }
  Actions(const Actions&) = delete;
  Actions& operator=(const Actions&) = delete;

  [[nodiscard]] const posix_spawn_file_actions_t* actions() const { return &actions_; }
  [[nodiscard]] const posix_spawnattr_t* attributes() const { return &attributes_; }

 private:
  posix_spawn_file_actions_t actions_{};
  posix_spawnattr_t attributes_{};
};

}  // namespace

Result<Child> Child::start(const Program& program) {
  std::vector<std::string> words = all_words(program);
  std::vector<char*> arguments;
  for (std::string& word : words) {
    arguments.push_back(word.data());
  }
  arguments.push_back(nullptr);
  const Actions actions(program);
  pid_t process = -1;
  const int problem = posix_spawnp(&process, arguments[0], actions.actions(), actions.attributes(), arguments.data(),
                                   const_cast<char* const*>(kEnvironment));
  if (problem != 0) {
    return rejected("58000", fmt::format("cannot run {}: {}", words[0], std::strerror(problem)),
                    "util-linux and postgresql-15 have to be installed");
  }
  return Child(process, static_cast<int>(syscall(SYS_pidfd_open, process, 0)));
}

Child::Child(Child&& other) noexcept
    : process_(std::exchange(other.process_, -1)), descriptor_(std::exchange(other.descriptor_, -1)) {}

Child& Child::operator=(Child&& other) noexcept {
  if (this != &other) {
    end();
    process_ = std::exchange(other.process_, -1);
    descriptor_ = std::exchange(other.descriptor_, -1);
  }
  return *this;
}

Child::~Child() { end(); }

void Child::end() {
  if (process_ > 0) {
    kill(process_, SIGKILL);
    while (waitpid(process_, nullptr, 0) < 0 && errno == EINTR) {
    }
    process_ = -1;
  }
  if (descriptor_ >= 0) {
    close(std::exchange(descriptor_, -1));
  }
}

std::optional<int> Child::wait(int stop, int64_t timeout_ns) {
  pollfd looked_at[] = {{descriptor_, POLLIN, 0}, {stop, POLLIN, 0}};
  const int timeout_ms = timeout_ns < 0 ? -1 : static_cast<int>(timeout_ns / kMillisecond);
  while (poll(looked_at, 2, timeout_ms) < 0 && errno == EINTR) {
  }
  int status = 0;
  if (waitpid(process_, &status, WNOHANG) != process_) {
    return std::nullopt;
  }
  process_ = -1;
  return status;
}

void Child::send(int signal) const {
  if (process_ > 0) {
    kill(process_, signal);
  }
}

std::string to_text(int status) {
  return WIFSIGNALED(status) ? fmt::format("was killed by signal {}", WTERMSIG(status))
                             : fmt::format("ended with {}", WEXITSTATUS(status));
}

}  // namespace daedalus::catalogue

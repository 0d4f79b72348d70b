// Other programs, run and waited for: with less memory, as another user, and gone when this process goes.
//
// Decides how a program is started. Refuses to know what it is for.
#pragma once

#include <sys/types.h>

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "daedalus/base/result.hpp"

namespace daedalus::catalogue {

/// Whom programs run as; none: as this process.
struct RunAs {
  uid_t user = 0;
  gid_t group = 0;
};

struct Program {
  std::vector<std::string> words;  ///< The program's path, and its arguments.
  std::string input;               ///< Path; empty: nothing is read.
  std::string log;                 ///< Path of what it writes, added at the end.
  std::string directory;           ///< It starts there.
  std::optional<RunAs> run_as;
  uint64_t memory_max = 0;  ///< Address space of each of its processes, bytes; 0: any.
};

/// A program that runs. Its processes get SIGINT when the thread that started it ends.
class Child {
 public:
  /// Errors: 58000 it could not be started.
  [[nodiscard]] static Result<Child> start(const Program& program);
  Child(Child&& other) noexcept;
  Child& operator=(Child&& other) noexcept;
  /// Kills it, if it still runs.
  ~Child();

  /// Until it has ended, `stop` can be read, or so much time is over (negative: any); nothing when it has not ended.
  /// Otherwise what waitpid() says of it.
  [[nodiscard]] std::optional<int> wait(int stop, int64_t timeout_ns);
  void send(int signal) const;
  [[nodiscard]] pid_t id() const { return process_; }

 private:
  Child(pid_t process, int descriptor) : process_(process), descriptor_(descriptor) {}
  void end();

  pid_t process_ = -1;
  int descriptor_ = -1;  ///< Can be read once it has ended.
};

/// "ended with 1", "was killed by signal 9".
[[nodiscard]] std::string to_text(int status);

}  // namespace daedalus::catalogue

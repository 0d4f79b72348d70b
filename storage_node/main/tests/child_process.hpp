// A real process under test: started, listened to, signalled, waited for; never left behind.
#pragma once

#include <sys/types.h>

#include <string>
#include <vector>

namespace daedalus::node {

class ChildProcess {
 public:
  /// Standard output and standard error go to one file that text() reads.
  ChildProcess(const std::vector<std::string>& arguments, const std::string& output_path);
  /// Kills and reaps it if it still runs.
  ~ChildProcess();
  ChildProcess(const ChildProcess&) = delete;
  ChildProcess& operator=(const ChildProcess&) = delete;

  [[nodiscard]] std::string text() const;
  /// Waits until the output contains `part`; false when the process ended without, or after half a minute.
  [[nodiscard]] bool wait_for(const std::string& part);
  void signal(int number) const;
  /// Waits for its end: the exit code, or minus the signal that ended it; -1000 when it does not end in half a minute.
  [[nodiscard]] int wait_for_end();

 private:
  [[nodiscard]] bool has_ended();

  std::string output_path_;
  pid_t pid_ = -1;
  bool is_reaped_ = false;
  int exit_code_ = 0;
};

}  // namespace daedalus::node

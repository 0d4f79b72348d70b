#include "child_process.hpp"

#include <fcntl.h>
#include <signal.h>
#include <sys/wait.h>
#include <unistd.h>

#include <chrono>
#include <fstream>
#include <sstream>

namespace daedalus::node {

namespace {

using Clock = std::chrono::steady_clock;

constexpr auto kPatience = std::chrono::seconds(30);
constexpr useconds_t kPollPauseUs = 2000;

}  // namespace

ChildProcess::ChildProcess(const std::vector<std::string>& arguments, const std::string& output_path)
    : output_path_(output_path) {
  std::vector<char*> argv;
  for (const std::string& argument : arguments) {
    argv.push_back(const_cast<char*>(argument.c_str()));
  }
  argv.push_back(nullptr);
  pid_ = ::fork();
  if (pid_ == 0) {
    const int output = ::open(output_path_.c_str(), O_WRONLY | O_CREAT | O_TRUNC, 0644);
    ::dup2(output, STDOUT_FILENO);
    ::dup2(output, STDERR_FILENO);
    ::execv(argv[0], argv.data());
    ::_exit(127);
  }
}

ChildProcess::~ChildProcess() {
  if (!has_ended()) {
    ::kill(pid_, SIGKILL);
    ::waitpid(pid_, nullptr, 0);
  }
}

std::string ChildProcess::text() const {
  std::ostringstream bytes;
  bytes << std::ifstream(output_path_).rdbuf();
  return bytes.str();
}

bool ChildProcess::wait_for(const std::string& part) {
  const auto deadline = Clock::now() + kPatience;
  while (true) {
    const bool is_last_look = has_ended() || Clock::now() >= deadline;
    if (text().find(part) != std::string::npos) {
      return true;
    }
    if (is_last_look) {
      return false;
    }
    ::usleep(kPollPauseUs);
  }
}

void ChildProcess::signal(int number) const { ::kill(pid_, number); }

int ChildProcess::wait_for_end() {
  const auto deadline = Clock::now() + kPatience;
  while (!has_ended()) {
    if (Clock::now() >= deadline) {
      return -1000;
    }
    ::usleep(kPollPauseUs);
  }
  return exit_code_;
}

bool ChildProcess::has_ended() {
  int status = 0;
  if (!is_reaped_ && ::waitpid(pid_, &status, WNOHANG) == pid_) {
    is_reaped_ = true;
    exit_code_ = WIFEXITED(status) ? WEXITSTATUS(status) : -WTERMSIG(status);
  }
  return is_reaped_;
}

}  // namespace daedalus::node

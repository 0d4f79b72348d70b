// An aggregator as a child process, with files and a port of its own.
#pragma once

#include <fmt/format.h>
#include <gtest/gtest.h>
#include <netinet/in.h>
#include <poll.h>
#include <spawn.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <unistd.h>

#include <chrono>
#include <csignal>
#include <filesystem>
#include <fstream>
#include <string>
#include <vector>

extern char** environ;  // NOLINT: spelt by POSIX.

namespace daedalus::aggregator {

inline constexpr auto kPatience = std::chrono::seconds(20);

/// One child process; its output and errors come through one pipe.
class Child {
 public:
  explicit Child(std::vector<std::string> arguments) {
    int ends[2];
    EXPECT_EQ(pipe(ends), 0);
    posix_spawn_file_actions_t actions;
    posix_spawn_file_actions_init(&actions);
    posix_spawn_file_actions_adddup2(&actions, ends[1], STDOUT_FILENO);
    posix_spawn_file_actions_adddup2(&actions, ends[1], STDERR_FILENO);
    posix_spawn_file_actions_addclose(&actions, ends[0]);
    std::string program = PROGRAM;
    std::vector<char*> pointers{program.data()};
    for (std::string& argument : arguments) {
      pointers.push_back(argument.data());
    }
    pointers.push_back(nullptr);
    EXPECT_EQ(posix_spawn(&process_, PROGRAM, &actions, nullptr, pointers.data(), environ), 0);
    posix_spawn_file_actions_destroy(&actions);
    close(ends[1]);
    output_end_ = ends[0];
  }

  ~Child() {
    if (process_ > 0) {
      kill(process_, SIGKILL);
      waitpid(process_, nullptr, 0);
    }
    close(output_end_);
  }
  Child(const Child&) = delete;
  Child& operator=(const Child&) = delete;

  /// Reads until the output contains `text`; false when it ends, or patience does, before.
  bool wait_for(const std::string& text) {
    while (output_.find(text) == std::string::npos) {
      if (!read_some()) {
        return false;
      }
    }
    return true;
  }

  /// Reads to the end and returns the exit code; −1 when a signal ended the process.
  int wait() {
    while (read_some()) {
    }
    int status = 0;
    EXPECT_EQ(waitpid(process_, &status, 0), process_);
    process_ = -1;
    return WIFEXITED(status) ? WEXITSTATUS(status) : -1;
  }

  void stop() const { kill(process_, SIGTERM); }
  [[nodiscard]] const std::string& output() const { return output_; }

 private:
  bool read_some() {
    const auto left =
        std::chrono::duration_cast<std::chrono::milliseconds>(give_up_ - std::chrono::steady_clock::now());
    pollfd waited{.fd = output_end_, .events = POLLIN, .revents = 0};
    if (left.count() <= 0 || poll(&waited, 1, static_cast<int>(left.count())) <= 0) {
      return false;
    }
    char bytes[4096];
    const ssize_t size = read(output_end_, bytes, sizeof(bytes));
    if (size <= 0) {
      return false;
    }
    output_.append(bytes, static_cast<size_t>(size));
    return true;
  }

  pid_t process_ = -1;
  int output_end_ = -1;
  std::string output_;
  std::chrono::steady_clock::time_point give_up_ = std::chrono::steady_clock::now() + kPatience;
};

/// A free loopback port, held by a socket of this test until it is released.
class Port {
 public:
  Port() : socket_(socket(AF_INET, SOCK_STREAM, 0)) {
    sockaddr_in address{};
    address.sin_family = AF_INET;
    address.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
    socklen_t size = sizeof(address);
    EXPECT_EQ(bind(socket_, reinterpret_cast<sockaddr*>(&address), size), 0);
    EXPECT_EQ(getsockname(socket_, reinterpret_cast<sockaddr*>(&address), &size), 0);
    number_ = ntohs(address.sin_port);
  }
  ~Port() { release(); }
  Port(const Port&) = delete;
  Port& operator=(const Port&) = delete;

  void occupy() const { EXPECT_EQ(listen(socket_, 1), 0); }
  void release() {
    if (socket_ >= 0) {
      close(socket_);
      socket_ = -1;
    }
  }
  [[nodiscard]] uint16_t number() const { return number_; }

 private:
  int socket_ = -1;
  uint16_t number_ = 0;
};

class ProcessTest : public ::testing::Test {
 protected:
  void SetUp() override {
    folder_ = std::filesystem::temp_directory_path() / fmt::format("daedalus-aggregator-test-{}", getpid());
    std::filesystem::create_directories(folder_);
    write_cluster("127.0.0.1:1");
  }
  void TearDown() override { std::filesystem::remove_all(folder_); }

  std::string write(const std::string& name, const std::string& content) {
    std::ofstream(folder_ / name) << content;
    return folder_ / name;
  }

  /// A cluster of one node.
  void write_cluster(const std::string& node) {
    write("cluster.toml", fmt::format(R"(cluster_id = "test"
schema_library = "{}"
[partition_map]
version = 1
distribution = "round_robin"
columns = []
segment_distribution = "round_robin"
segment_columns = []
[[partition_map.partitions]]
nodes = [0]
[[nodes]]
id = 0
endpoint = "{}"
)",
                                      SCHEMA_LIBRARY, node));
  }

  std::string write_aggregator(const std::string& extra = {}) {
    return write("aggregator.toml", fmt::format("cluster = \"cluster.toml\"\nname = \"aggregator-0\"\n"
                                                "listen = \"127.0.0.1:{}\"\nsql_threads = 1\n{}",
                                                port_.number(), extra));
  }

  std::filesystem::path folder_;
  Port port_;
};

}  // namespace daedalus::aggregator

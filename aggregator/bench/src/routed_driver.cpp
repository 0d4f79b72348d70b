// routed_driver: pre-encoded SELECTs on one key each, by handle, to one aggregator, as fast as it answers. Measures the
// CPU time of the aggregator for one query, and what the driver takes itself. With --sql one statement over and over,
// for the cost of rows. One JSON object on standard output.
#include <fmt/format.h>
#include <poll.h>
#include <unistd.h>

#include <CLI/CLI.hpp>
#include <algorithm>
#include <chrono>
#include <ctime>
#include <fstream>
#include <string>
#include <vector>

#include "driver_connection.hpp"

namespace daedalus::aggregator::bench {
namespace {

using Clock = std::chrono::steady_clock;

struct Arguments {
  std::string aggregator;
  int process = 0;
  uint32_t connections = 2;
  double seconds = 5;
  double warm_up_seconds = 1;
  uint32_t keys = 4096;
  std::string sql;
  DriverLimits limits;
};

/// utime + stime of a process, seconds; negative when it is gone.
double cpu_seconds_of(int process) {
  std::ifstream file(fmt::format("/proc/{}/stat", process));
  std::string line;
  std::getline(file, line);
  if (line.rfind(')') == std::string::npos) {
    return -1;
  }
  std::istringstream fields(line.substr(line.rfind(')') + 2));
  std::string skipped;
  for (int field = 0; field < 11; ++field) {
    fields >> skipped;
  }
  double user = 0;
  double system = 0;
  fields >> user >> system;
  return (user + system) / static_cast<double>(::sysconf(_SC_CLK_TCK));
}

double own_cpu_seconds() {
  timespec time{};
  ::clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &time);
  return static_cast<double>(time.tv_sec) + static_cast<double>(time.tv_nsec) * 1e-9;
}

/// Keeps all connections full for a time. False when one of them has ended.
bool drive(std::vector<DriverConnection>& connections, const RoutedQueries& queries, double seconds, Endings& endings) {
  const auto end = Clock::now() + std::chrono::duration<double>(seconds);
  std::vector<pollfd> waiting(connections.size());
  while (Clock::now() < end) {
    for (size_t i = 0; i < connections.size(); ++i) {
      if (!connections[i].fill(queries)) {
        return false;
      }
      const auto events = static_cast<int16_t>(POLLIN | (connections[i].wants_to_write() ? POLLOUT : 0));
      waiting[i] = {connections[i].socket(), events, 0};
    }
    ::poll(waiting.data(), waiting.size(), 100);
    for (size_t i = 0; i < connections.size(); ++i) {
      if ((waiting[i].revents & ~POLLOUT) != 0 && !connections[i].read(endings)) {
        return false;
      }
    }
  }
  return true;
}

/// Queries a second of one core that the driver encodes and whose answers it reads, without a socket and a peer.
double alone_per_second(const RoutedQueries& queries, const DriverLimits& limits) {
  wire::v1::ResultBatch batch;
  for (uint32_t query = 0; query < limits.batch; ++query) {
    wire::v1::Result& result = *batch.add_results();
    result.set_sequence(1'000'000 + query);
    wire::v1::SegmentStamp& stamp = *result.mutable_end()->add_stamps();
    stamp.set_node(query % 12);
    stamp.set_partition(query % 12);
  }
  const std::string answer = rpc::encode_frame(rpc::FrameType::kResults, batch.SerializeAsString());
  rpc::Framer framer;
  std::string output;
  uint64_t sequence = 0;
  uint64_t answered = 0;
  const double begin = own_cpu_seconds();
  while (own_cpu_seconds() < begin + 0.5) {
    for (int frame = 0; frame < 64; ++frame) {
      output.clear();
      rpc::FrameWriter writer(output, rpc::FrameType::kOperations);
      for (uint32_t query = 0; query < limits.batch; ++query) {
        queries.append(++sequence, output);
      }
      writer.finish();
      framer.feed(answer);
      answered += count_endings(framer.next()->payload).answered;
    }
  }
  return static_cast<double>(answered) / (own_cpu_seconds() - begin);
}

int fail(const Error& error) {
  fmt::print(stderr, "routed_driver: {}\n", error.message);
  return 1;
}

int measure(const Arguments& asked) {
  std::vector<DriverConnection> connections;
  for (uint32_t i = 0; i < asked.connections; ++i) {
    auto opened = DriverConnection::open(asked.aggregator, asked.limits);
    if (!opened) {
      return fail(opened.error());
    }
    connections.push_back(std::move(*opened));
  }
  const auto queries = asked.sql.empty() ? RoutedQueries::make(connections.front().table(), asked.keys)
                                         : Result<RoutedQueries>(RoutedQueries::of_statement(asked.sql));
  if (!queries) {
    return fail(queries.error());
  }
  Endings warm_up;
  Endings endings;
  bool is_fine = std::all_of(connections.begin(), connections.end(),
                             [&](DriverConnection& connection) { return connection.define(*queries); });
  is_fine = is_fine && drive(connections, *queries, asked.warm_up_seconds, warm_up);
  const double aggregator_begin = cpu_seconds_of(asked.process);
  const double own_begin = own_cpu_seconds();
  const auto begin = Clock::now();
  is_fine = is_fine && drive(connections, *queries, asked.seconds, endings);
  const double seconds = std::chrono::duration<double>(Clock::now() - begin).count();
  const double own = own_cpu_seconds() - own_begin;
  const double aggregator = cpu_seconds_of(asked.process) - aggregator_begin;
  if (!is_fine || !endings.is_whole || endings.answered == 0 || aggregator <= 0) {
    fmt::print(stderr, "routed_driver: a connection has ended, nothing was answered, or process {} is gone\n",
               asked.process);
    return 1;
  }
  const auto answered = static_cast<double>(endings.answered);
  // Last: connections that are silent for so long are closed.
  const double alone = alone_per_second(*queries, asked.limits);
  fmt::print(
      "{{\"answered\":{},\"errors\":{},\"seconds\":{:.3f},\"answered_per_second\":{:.0f},\"aggregator_us\":{:.3f},"
      "\"driver_us\":{:.3f},\"driver_alone_per_second\":{:.0f},\"query_bytes\":{},\"rows\":{},\"rows_per_aggregator_"
      "second\":{:.0f}}}\n",
      endings.answered, endings.failed + warm_up.failed, seconds, answered / seconds, aggregator * 1e6 / answered,
      own * 1e6 / answered, alone, queries->size(), endings.rows, static_cast<double>(endings.rows) / aggregator);
  return 0;
}

}  // namespace
}  // namespace daedalus::aggregator::bench

int main(int argc, char** argv) {
  daedalus::aggregator::bench::Arguments asked;
  CLI::App app("Sends pre-encoded SELECTs on one key each to an aggregator and measures what it takes for one.",
               "routed_driver");
  app.add_option("--aggregator", asked.aggregator, "IP:PORT")->required();
  app.add_option("--process", asked.process, "Its process id")->required();
  app.add_option("--connections", asked.connections, "Connections")->check(CLI::Range(1, 64))->capture_default_str();
  app.add_option("--batch", asked.limits.batch, "Queries a frame")->check(CLI::Range(1, 4096))->capture_default_str();
  app.add_option("--in-flight", asked.limits.in_flight, "Queries of each connection that wait for their answer")
      ->check(CLI::Range(1, 4096))
      ->capture_default_str();
  app.add_option("--keys", asked.keys, "Different queries")->check(CLI::Range(1, 1 << 20))->capture_default_str();
  app.add_option("--sql", asked.sql, "Ask this SELECT instead, over and over");
  app.add_option("--seconds", asked.seconds, "Measured")->check(CLI::Range(0.1, 600.0))->capture_default_str();
  app.add_option("--warm-up-seconds", asked.warm_up_seconds, "Before")
      ->check(CLI::Range(0.0, 60.0))
      ->capture_default_str();
  CLI11_PARSE(app, argc, argv);
  if (asked.limits.batch > asked.limits.in_flight) {
    fmt::print(stderr, "routed_driver: --batch must not exceed --in-flight\n");
    return 2;
  }
  return daedalus::aggregator::bench::measure(asked);
}

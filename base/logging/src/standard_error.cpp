#include "daedalus/logging/standard_error.hpp"

#include <spdlog/sinks/base_sink.h>
#include <spdlog/spdlog.h>
#include <unistd.h>

#include <cstdio>
#include <memory>
#include <mutex>

#include "daedalus/logging/log_file.hpp"

namespace daedalus {
namespace {

constexpr uint64_t kLogBytesMax = 16U << 20U;

class StandardErrorSink final : public spdlog::sinks::base_sink<std::mutex> {
 protected:
  void sink_it_(const spdlog::details::log_msg& message) override {
    spdlog::memory_buf_t line;
    formatter_->format(message, line);
    file_.make_room(line.size());
    std::fwrite(line.data(), 1, line.size(), stderr);
  }

  void flush_() override { std::fflush(stderr); }

 private:
  LogFile file_{STDERR_FILENO, kLogBytesMax};
};

}  // namespace

void log_to_standard_error(const std::string& program) {
  spdlog::set_default_logger(std::make_shared<spdlog::logger>(program, std::make_shared<StandardErrorSink>()));
  spdlog::set_pattern("%Y-%m-%dT%H:%M:%S.%e%z %l %v");
  spdlog::flush_on(spdlog::level::trace);
}

}  // namespace daedalus

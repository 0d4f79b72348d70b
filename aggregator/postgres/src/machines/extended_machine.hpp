// The extended protocol: statements are prepared, bound, described and executed each by a message of its own.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "daedalus/base/result.hpp"
#include "session_core.hpp"

namespace daedalus::postgres {

class ExtendedMachine {
 public:
  explicit ExtendedMachine(SessionCore& core) : core_(core) {}

  void on_parse(std::string_view body);
  void on_bind(std::string_view body);
  void on_describe(std::string_view body);
  void on_execute(std::string_view body);
  void on_close(std::string_view body);
  void on_flush();
  void on_sync();

 private:
  /// `context`: PostgreSQL's CONTEXT of an error, where it has one.
  [[nodiscard]] Result<Portal> bind(const BindMessage& message, std::string& context);
  void describe_rows(const Prepared& prepared, const std::vector<int16_t>& formats);

  SessionCore& core_;
};

}  // namespace daedalus::postgres

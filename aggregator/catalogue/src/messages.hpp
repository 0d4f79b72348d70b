// PostgreSQL's protocol from its client's side, as far as the catalogue is asked by it: messages made, and cut from
// bytes.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "daedalus/base/result.hpp"
#include "daedalus/catalogue/statement.hpp"

namespace daedalus::catalogue {

/// Who asks, and where.
struct Login {
  std::string user;
  std::string database;
};

void append_startup(const Login& login, std::string& out);
void append_query(std::string_view sql, std::string& out);
void append_parse(const Statement& statement, std::string& out);
void append_bind(const Statement& statement, std::string& out);
/// Describes the unnamed statement ('S') or portal ('P').
void append_describe(char kind, std::string& out);
/// The unnamed portal, to its end.
void append_execute(std::string& out);
/// A DataRow, as it came.
void append_row(std::string_view body, std::string& out);
/// Appends a message without a body: Sync 'S', Terminate 'X'.
void append_plain(char type, std::string& out);

/// A statement with all that goes before and after it, each answered by a ReadyForQuery: BEGIN, the statement, its end,
/// DISCARD ALL.
[[nodiscard]] std::string round_of(const Statement& statement);
constexpr int kRoundReadies = 4;

struct Message {
  char type = 0;
  std::string_view body;
};

/// Bytes of the server that are no whole message yet.
class MessageBuffer {
 public:
  void feed(std::string_view bytes) { bytes_.append(bytes); }
  /// The next one, which is valid until feed() or drop_read(); nothing while it has not come. Errors: 08P01 a length
  /// that is none.
  [[nodiscard]] Result<std::optional<Message>> next();
  void drop_read();

 private:
  std::string bytes_;
  size_t read_ = 0;
};

/// ErrorResponse.
[[nodiscard]] Failure read_failure(std::string_view body);
/// ParameterDescription.
[[nodiscard]] std::vector<uint32_t> read_types(std::string_view body);

}  // namespace daedalus::catalogue

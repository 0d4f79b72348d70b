// Each function appends one message to a client, whole.
//
// Refuses to know when each is due. Texts that go out are cut at a zero byte, which ends them in the protocol.
#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <string_view>

#include "daedalus/base/result.hpp"

namespace daedalus::postgres {

enum class Severity : uint8_t { kNotice, kWarning, kError, kFatal };

/// The state that ReadyForQuery tells.
enum class BlockState : char { kIdle = 'I', kInBlock = 'T', kFailed = 'E' };

/// One column of a RowDescription.
struct Field {
  std::string name;
  uint32_t type = 0;  ///< OID.
  int16_t size = -1;  ///< Bytes of its binary form; −1: not fixed.
  int32_t modifier = -1;
  int16_t format = 0;   ///< 0 text, 1 binary.
  uint32_t table = 0;   ///< OID of the table that it is a column of; 0: of none.
  uint16_t number = 0;  ///< There, from 1.

  friend bool operator==(const Field&, const Field&) = default;
};

/// Bytes before a message's body: its type, and its length, which counts itself.
constexpr size_t kMessageHeadSize = 1 + sizeof(uint32_t);

/// Opens a message at the end of `out` and closes it with its length.
class MessageWriter {
 public:
  MessageWriter(char type, std::string& out);
  ~MessageWriter();
  MessageWriter(const MessageWriter&) = delete;
  MessageWriter& operator=(const MessageWriter&) = delete;

 private:
  std::string& out_;
  size_t length_at_;
};

void append_authentication_ok(std::string& out);
/// AuthenticationSASL: the mechanisms that may be chosen.
void append_sasl(std::span<const std::string_view> mechanisms, std::string& out);
/// AuthenticationSASLContinue and AuthenticationSASLFinal.
void append_sasl_continue(std::string_view data, std::string& out);
void append_sasl_final(std::string_view data, std::string& out);
/// Tells that this side speaks 3.0, and which options it does not know.
void append_negotiate_version(std::span<const std::string> unknown_options, std::string& out);
void append_parameter_status(std::string_view name, std::string_view value, std::string& out);
void append_backend_key(uint32_t process_id, uint32_t secret, std::string& out);
void append_ready(BlockState state, std::string& out);
/// An error says these besides; each may be empty.
struct ErrorTexts {
  std::string_view detail = {};
  std::string_view context = {};
};
/// ErrorResponse, or NoticeResponse for a notice or a warning.
void append_error(Severity severity, const Error& error, ErrorTexts texts, std::string& out);
void append_command_complete(std::string_view tag, std::string& out);
void append_row_description(std::span<const Field> fields, std::string& out);
void append_parameter_description(std::span<const uint32_t> types, std::string& out);
/// Appends a message without a body: ParseComplete '1', BindComplete '2', CloseComplete '3', EmptyQueryResponse 'I',
/// NoData 'n', PortalSuspended 's'.
void append_plain(char type, std::string& out);

}  // namespace daedalus::postgres

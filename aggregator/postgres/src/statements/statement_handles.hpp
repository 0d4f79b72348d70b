// Which of a session's prepared statements the core knows by a handle, and what columns their answers have
// (docs/wire.md, "Shapes").
//
// Decides which statements are worth a handle: those with a name that run again. Refuses to know messages.
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

#include "daedalus/contract/shape_handles.hpp"
#include "daedalus/semantics/types.hpp"
#include "value_format.hpp"

namespace daedalus::postgres {

/// A statement of which the core has the text; handle and sequence are 0 as long as it has not.
struct RegisteredStatement {
  bool is_dropped = false;  ///< Only portals have it still: nothing more is kept of it.
  uint32_t runs = 0;
  uint32_t handle = 0;
  uint64_t sequence = 0;  ///< Its definition's, which answers name.
  std::optional<std::vector<semantics::Column>> columns;
  /// For those columns, as they were asked for last.
  std::shared_ptr<const RowEncoder> encoder;
  std::vector<int16_t> formats;
  /// The whole message that described its columns last; empty: none has yet.
  std::string description;
  std::vector<int16_t> description_formats;
  uint32_t description_table = 0;  ///< The table's OID that it names.
};

class StatementHandles {
 public:
  explicit StatementHandles(contract::HandleLimits limits) : limits_(limits) {}

  enum class Use : uint8_t {
    kWhole,   ///< Its text goes with it.
    kDefine,  ///< Its text is to go ahead of it, with `define()`.
    kByHandle,
  };
  /// For one run of a statement.
  [[nodiscard]] Use use(RegisteredStatement& statement, const std::string& sql);
  /// Its text goes out under this sequence.
  void define(const std::shared_ptr<RegisteredStatement>& statement, const std::string& sql, uint64_t sequence);
  /// The one that was defined under this sequence; null: nobody has it any more.
  [[nodiscard]] std::shared_ptr<RegisteredStatement> find(uint64_t sequence) const;
  /// Keeps what its columns are described as, unless that is long.
  void keep_description(RegisteredStatement& statement, std::string_view description,
                        const std::vector<int16_t>& formats, uint32_t table);
  /// Nobody runs it any more: its handle is free.
  void drop(RegisteredStatement& statement, const std::string& sql);

  /// The bytes of all texts in handles, and of descriptions.
  [[nodiscard]] uint64_t bytes() const { return bytes_; }

 private:
  const contract::HandleLimits limits_;
  uint32_t used_ = 0;           ///< Handles that have ever been.
  std::vector<uint32_t> free_;  ///< Handles without a statement.
  uint64_t bytes_ = 0;
  std::unordered_map<uint64_t, std::weak_ptr<RegisteredStatement>> by_sequence_;
};

}  // namespace daedalus::postgres

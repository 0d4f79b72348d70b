// Sessions remember what statements take and give: a program prepares the same few texts on every connection,
// and again and again where its driver gives them no name.
//
// Decides how much is kept; what has not been asked for longest goes first. A description depends on text, declared
// types and schema alone, so that one that is kept is never out of date: what sessions with another order of dates than
// MDY learn is not kept.
#pragma once

#include <cstdint>
#include <list>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <unordered_map>

#include "daedalus/aggregator/statement.hpp"

namespace daedalus::postgres {

class Descriptions {
 public:
  using Declared = std::span<const std::optional<aggregator::ParameterKind>>;

  /// Most bytes of all of them, and of one.
  static constexpr size_t kBytesMax = 4u << 20;
  static constexpr size_t kEntryBytesMax = 64u << 10;

  /// Null when it is not known. Valid until the next keep().
  [[nodiscard]] const aggregator::StatementDescription* find(std::string_view sql, Declared declared);
  void keep(std::string_view sql, Declared declared, const aggregator::StatementDescription& description);
  [[nodiscard]] size_t size() const { return entries_.size(); }
  /// The number that the catalogue has for the table; 0: it is not known. It is not part of what is kept.
  [[nodiscard]] uint32_t table_oid() const { return table_oid_; }
  void set_table_oid(uint32_t oid) { table_oid_ = oid; }

 private:
  struct Entry {
    std::string key;
    aggregator::StatementDescription description;
    size_t bytes = 0;
  };

  std::list<Entry> entries_;  ///< The latest first.
  std::unordered_map<std::string_view, std::list<Entry>::iterator> by_key_;
  size_t bytes_ = 0;
  uint32_t table_oid_ = 0;
};

}  // namespace daedalus::postgres

// A synthetic ticket table for measurements: 47 columns, about 340 bytes a row, values drawn from a seed. It also comes
// with five columns of its own, and with 153 more.
//
// Decides what rows look like. Every value of a column is given by its ordinal: a higher ordinal is a higher value, so
// that engine and baselines can be asked the same things. Refuses to know queries and engines.
#pragma once

#include <array>
#include <cstdint>
#include <random>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "daedalus/semantics/types.hpp"

namespace daedalus::engine::bench {

using Random = std::mt19937_64;
/// A number from 0, below `bound`.
[[nodiscard]] inline uint32_t below(Random& random, uint32_t bound) { return static_cast<uint32_t>(random() % bound); }

constexpr uint32_t kTicketColumns = 47;
constexpr uint32_t kNarrowColumns = 5;
constexpr uint32_t kWideColumns = 200;
constexpr uint32_t kNullOrdinal = UINT32_MAX;

/// Positions of the columns that queries name.
enum TicketColumn : uint32_t {
  kId = 0,
  kRloc,
  kFlight,
  kDateIn,
  kProvider,
  kSgtQualifier,
  kCancelFlag,
  kCabin,
  kDeparture,
  kArrival,
  kSeat = 13
};

/// Positions of the columns of a narrow table. None of them is ever NULL.
enum NarrowColumn : uint32_t {
  kNarrowId = 0,
  kMany,  ///< 200,000 values: many groups.
  kDay,
  kSeats,
  kPrice
};

/// Holds what a row holds, by column; those beyond the table's are 0.
using Ordinals = std::array<uint32_t, kWideColumns>;

struct ColumnSpec {
  std::string name;
  semantics::Type type;
  uint32_t cardinality = 1;
  uint32_t null_percent = 0;
  uint32_t width = 0;   ///< Bytes of a value in a row store.
  uint32_t offset = 0;  ///< Says where the value lies in a row store.
};

/// How often values occur.
enum class Frequencies : uint8_t {
  kEqual,
  kSkewed,  ///< A value at the share x of its domain's size is drawn where u⁴ = x, u uniform: few values are most rows.
};

enum class Width : uint8_t {
  kTicket,
  kNarrow,  ///< The columns of NarrowColumn alone.
  kWide,    ///< Has the columns of a ticket, and more behind them.
};

class TicketTable {
 public:
  /// There are so many flights that about 32 of `domain_rows` rows share a flight and a day: with the same domain,
  /// twice the rows are twice the candidates. 0: as many as there are rows.
  explicit TicketTable(uint32_t row_count, uint32_t domain_rows = 0, Frequencies frequencies = Frequencies::kEqual,
                       Width width = Width::kTicket);

  [[nodiscard]] const semantics::Schema& schema() const { return schema_; }
  [[nodiscard]] const std::vector<ColumnSpec>& columns() const { return columns_; }
  [[nodiscard]] uint32_t column_count() const { return static_cast<uint32_t>(columns_.size()); }
  [[nodiscard]] uint32_t row_count() const { return row_count_; }
  /// Returns whether it has the columns of a ticket.
  [[nodiscard]] bool has_tickets() const { return width_ != Width::kNarrow; }
  /// Bytes of a row in a row store: values at their offsets, then one NULL bit a column.
  [[nodiscard]] uint32_t row_size() const { return row_size_; }

  /// The ordinals of row `row`: always the same.
  [[nodiscard]] Ordinals ordinals(uint32_t row) const;

  [[nodiscard]] semantics::Value value(uint32_t column, uint32_t ordinal) const;
  /// Writes the value as a row store holds it: native numbers, zero-padded strings.
  void store(uint32_t column, uint32_t ordinal, uint8_t* out) const;
  /// Appends these columns of a row in the packed layout, its u32 size included.
  void append_packed(std::span<const uint32_t> columns, const Ordinals& ordinals, std::string& out) const;

 private:
  void add_ticket_columns(uint32_t domain);
  void add_narrow_columns();
  void add_more_columns();
  void add(std::string name, semantics::Type type, uint32_t cardinality, uint32_t null_percent);

  uint32_t row_count_;
  Frequencies frequencies_;
  Width width_;
  uint32_t row_size_ = 0;
  std::vector<ColumnSpec> columns_;
  semantics::Schema schema_;
};

}  // namespace daedalus::engine::bench

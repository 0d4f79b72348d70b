// Says what names, parameters and the time mean in one execution of one statement, and where its errors are.
//
// Decides name resolution by PostgreSQL's rules for a single table. Refuses to know clauses and expressions.
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>

#include "column_names.hpp"
#include "daedalus/aggregator/compile.hpp"
#include "daedalus/base/result.hpp"
#include "daedalus/semantics/date_order.hpp"
#include "daedalus/semantics/session_zone.hpp"
#include "daedalus/semantics/types.hpp"
#include "daedalus/wire/v1/operations.pb.h"
#include "parameter_positions.hpp"
#include "parameter_types.hpp"
#include "parsed_statement.hpp"

namespace daedalus::aggregator::sql {

/// Borrows everything; lives as long as one compilation.
class Scope {
 public:
  Scope(const ColumnNames& columns, const ParsedStatement& statement, const wire::v1::StatementBody& body,
        int64_t now_us, const semantics::TimeZones* zones = nullptr,
        const semantics::SessionZone* session_zone = nullptr, const RandomBits* random = nullptr,
        std::span<const std::optional<ParameterKind>> kinds = {})
      : columns_(columns),
        schema_(columns.schema()),
        statement_(statement),
        body_(body),
        now_us_(now_us),
        zones_(zones),
        session_zone_(session_zone == nullptr || session_zone->is_utc() ? nullptr : session_zone),
        random_(random),
        kinds_(kinds) {}
  /// The scope of a statement that is described, not compiled: its parameters have no values, and `types` learns of
  /// their places. `session` has nothing but what is known of the session.
  Scope(const ColumnNames& columns, const ParsedStatement& statement, ParameterTypes& types,
        const wire::v1::StatementBody& session, const semantics::TimeZones* zones = nullptr)
      : columns_(columns),
        schema_(columns.schema()),
        statement_(statement),
        body_(session),
        now_us_(0),
        zones_(zones),
        types_(&types) {}

  [[nodiscard]] const semantics::Schema& schema() const { return schema_; }
  [[nodiscard]] const std::string& text() const { return statement_.text(); }
  [[nodiscard]] const grammar::Node& root() const { return statement_.root(); }
  [[nodiscard]] int32_t statement_location() const { return statement_.location(); }
  [[nodiscard]] int64_t now_us() const { return now_us_; }
  /// The time zones by their names; null: no name is known.
  [[nodiscard]] const semantics::TimeZones* zones() const { return zones_; }
  /// The zone of the session's clocks; null: UTC. Whoever asks makes something that depends on it.
  [[nodiscard]] const semantics::SessionZone* session_zone() const {
    places_.depend_on_zone();
    return session_zone_;
  }
  /// An interval becomes a text within the statement. Errors: 0A000 the session shows intervals in another style than
  /// nodes do.
  [[nodiscard]] Result<void> show_interval(int32_t location) const;
  /// A text becomes an interval. Errors: 0A000 the session's style may read it otherwise than it is read here.
  [[nodiscard]] Result<void> read_interval(std::string_view text, int32_t location) const;
  /// Texts that are known only when the statement runs become intervals. Errors: those of read_interval().
  [[nodiscard]] Result<void> read_intervals(int32_t location) const;
  /// Returns the order in which the session reads dates. Whoever asks reads a text that hangs on it.
  [[nodiscard]] semantics::DateOrder date_order() const {
    places_.hang_on_date_order();
    return semantics::date_order_of(body_.date_order());
  }
  /// Texts that are known only when the statement runs become dates, SQL timestamps or times. Errors: 0A000 the session
  /// reads dates in another order than nodes do.
  [[nodiscard]] Result<void> read_dates(int32_t location) const;
  /// The time that the session's clocks show now, in microseconds since 1970.
  [[nodiscard]] int64_t local_now_us() const;
  /// Bits for a value that is another one each time; nothing where there is no such value: they are among those of an
  /// INSERT only, which are computed once, before it is numbered.
  [[nodiscard]] std::optional<uint64_t> random_bits() const {
    return draws_ && random_ != nullptr && *random_ != nullptr ? std::optional((*random_)()) : std::nullopt;
  }
  void set_draws(bool draws) { draws_ = draws; }
  /// The name of the database: the table's.
  [[nodiscard]] std::string_view database() const { return database_; }

  // ---- names ----
  /// Position of the table's column of this name, or nothing.
  [[nodiscard]] std::optional<uint32_t> find_column(std::string_view name) const { return columns_.find(name); }
  /// Makes the statement's table known, under its alias if it has one. Errors: 42P01, 0A000.
  [[nodiscard]] Result<void> bind_table(const grammar::RangeVariable& table);
  /// Position of the column that a reference names. Errors: 42703, 42P01 (its table), 0A000 (whole rows).
  [[nodiscard]] Result<uint32_t> column(const grammar::ColumnReference& reference) const;
  /// Returns whether the reference is `*` or `table.*`. Errors: 42P01.
  [[nodiscard]] Result<bool> is_star(const grammar::ColumnReference& reference) const;
  /// A column that a statement writes, by its bare name. Errors: 42703, 0A000 (part of a column).
  [[nodiscard]] Result<uint32_t> target_column(const grammar::ResultTarget& target) const;
  /// `"table"."column"` as messages spell it: without quotes, the table under its alias.
  [[nodiscard]] std::string qualified(uint32_t column) const;

  /// The scope of this statement over a table of its own. Precondition: `columns` outlives the scope that is returned.
  [[nodiscard]] Scope over(const ColumnNames& columns) const { return {*this, columns}; }
  /// Takes over what the scope `over` has learned of the statement's parameters.
  void take_back(const Scope& over) {
    parameters_used_ = over.parameters_used_;
    places_ = over.places_;
  }

  // ---- parameters ----
  /// The wire's constant for $number. Errors: 42P02.
  [[nodiscard]] Result<const wire::v1::Constant*> parameter(const grammar::ParameterReference& reference);
  /// True when parameters have no values; then NULL stands for each, and what a value decides is left open.
  [[nodiscard]] bool is_described() const { return types_ != nullptr; }
  /// From now on constants that cannot be computed stay as they are, or NULL stands for them: only types are asked for.
  /// Precondition: is_described().
  void leave_mistakes() { leaves_mistakes_ = true; }
  [[nodiscard]] bool leaves_mistakes() const { return leaves_mistakes_; }
  /// The type that $number has by its earlier places, if one has asked. Errors: 42P02. Precondition: is_described().
  [[nodiscard]] Result<std::optional<ParameterKind>> parameter_kind(const grammar::ParameterReference& reference);
  /// A place asks this type of $number. Precondition: parameter_kind() has been asked of it.
  void ask_kind(int32_t number, int32_t location, ParameterKind kind) const { types_->ask(number, location, kind); }
  /// The types of a described statement's parameters. Precondition: is_described().
  [[nodiscard]] ParameterTypes& types() const { return *types_; }
  /// True when the scope was given the types of parameters that come without one.
  [[nodiscard]] bool has_kinds() const { return !kinds_.empty(); }
  /// The type that the statement gives to $number where that comes without one; nothing: it is a quoted literal.
  [[nodiscard]] std::optional<ParameterKind> kind_of_given(int32_t number) const {
    const auto index = static_cast<size_t>(number) - 1;
    return index < kinds_.size() ? kinds_[index] : std::nullopt;
  }
  /// The places where values of parameters end up; filled while the statement is compiled.
  [[nodiscard]] ParameterPositions& places() const { return places_; }
  /// How many parameters the statement takes, as far as it is compiled.
  [[nodiscard]] int32_t parameters_used() const { return parameters_used_; }
  /// Refuses parameters that the statement does not have (08P01). To be asked when everything is compiled.
  [[nodiscard]] Result<void> check_parameters() const;

  // ---- errors ----
  [[nodiscard]] Error error(std::string sqlstate, std::string message, int32_t location, std::string hint = {}) const;
  /// 0A000: "<construct> is not supported".
  [[nodiscard]] Error refuse(std::string construct, int32_t location, std::string hint = {}) const;
  /// The construct that `node` stands for, refused.
  [[nodiscard]] Error refuse(const grammar::Node& node) const;
  /// Adds the position to an error that has none.
  [[nodiscard]] Error located(Error error, int32_t location) const;

 private:
  Scope(const Scope& other, const ColumnNames& columns)
      : columns_(columns),
        schema_(columns.schema()),
        statement_(other.statement_),
        body_(other.body_),
        now_us_(other.now_us_),
        zones_(other.zones_),
        session_zone_(other.session_zone_),
        random_(other.random_),
        kinds_(other.kinds_),
        table_alias_(columns.schema().table_name),
        has_alias_(true),
        database_(other.database_),
        parameters_used_(other.parameters_used_),
        places_(other.places_),
        types_(other.types_),
        leaves_mistakes_(other.leaves_mistakes_) {}

  [[nodiscard]] bool is_standard_style() const;
  [[nodiscard]] Result<void> check_qualifier(const grammar::ColumnReference& reference, size_t qualifier_size) const;

  const ColumnNames& columns_;
  const semantics::Schema& schema_;
  const ParsedStatement& statement_;
  const wire::v1::StatementBody& body_;
  const int64_t now_us_;
  const semantics::TimeZones* const zones_;
  const semantics::SessionZone* const session_zone_ = nullptr;
  const RandomBits* random_ = nullptr;
  const std::span<const std::optional<ParameterKind>> kinds_ = {};  ///< Types of parameters without one.
  bool draws_ = false;
  std::string_view table_alias_;  ///< The name columns are qualified with.
  bool has_alias_ = false;
  std::string_view database_ = schema_.table_name;
  int32_t parameters_used_ = 0;
  mutable ParameterPositions places_;  ///< Noted down, not decided by.
  ParameterTypes* types_ = nullptr;    ///< Null unless the statement is described.
  bool leaves_mistakes_ = false;
};

}  // namespace daedalus::aggregator::sql

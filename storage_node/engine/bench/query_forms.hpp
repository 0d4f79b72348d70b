// Forms of queries that mixes of conjunctions do not show: long lists, lists of floating numbers, disjunctions, lists
// of pairs, ranges alone, whole rows, filtered sums, many groups, conditions drawn at random.
//
// Decides what each form asks, in a form that the engine, the plain model and SQL can be asked alike.
#pragma once

#include <string>

#include "cells.hpp"

namespace daedalus::engine::bench {

/// The integer that forms add up, of tables with tickets: 12,800 values and NULL.
constexpr uint32_t kSummed = 38;

/// A comparison, or conditions joined.
struct FormCondition {
  enum class Kind : uint8_t { kBetween, kAnd, kOr };

  Kind kind = Kind::kAnd;
  Between between = {};  ///< From NULL to NULL: IS NULL.
  std::vector<FormCondition> children = {};
};

/// Holds what is asked of the rows where the condition holds.
enum class FormOutput : uint8_t {
  kFetched,   ///< The columns that all queries of mixes fetch.
  kWhole,     ///< All columns.
  kCount,     ///< COUNT(*).
  kSum,       ///< SUM of an integer, COUNT(*).
  kSumByMany  ///< Sums each of many groups; for narrow tables only.
};

struct FormQuery {
  FormCondition condition;  ///< An AND of nothing holds everywhere.
  FormOutput output = FormOutput::kFetched;
};

/// Parses, for tables with tickets: list-K: K values of id; codes-K: K of agent, counted; floats-K: K of weight,
/// counted; or: rloc = x OR ticket_number = y; pairs-K: K pairs of two columns neither of which finds few rows; keys-K:
/// K pairs of rloc and arrival; or-and: two conjunctions of different columns; ranges-P: P percent in each of three
/// columns; sums: filtered by days, 30 % of them, each query its own; flags: filtered by two columns of four values;
/// recent-P: the newest rows, P percent at most, summed; whole: a flight and a day, all columns; random-rows and
/// random-counts: conditions of up to 24 comparisons over all columns, nested at random, that few rows hold, or any
/// number; nested-K: exactly K comparisons and lists, counted. Of narrow tables: narrow: one of many values and a range
/// of days, all columns; groups: of all rows; groups-where: of those of 30 % of the days, the same for all queries.
/// Anything else is CHECKed.
[[nodiscard]] std::vector<FormQuery> make_form_queries(const TicketTable& table, const std::string& form,
                                                       uint32_t count, Random& random);

/// Names the columns of an OR all of whose alternatives are equalities on the same columns, each on one or an AND of
/// several: those columns. None for anything else.
[[nodiscard]] std::vector<uint32_t> list_columns(const FormCondition& condition);

/// The columns of rows that are put out, the id first. Precondition: rows are.
[[nodiscard]] std::vector<uint32_t> form_columns(const TicketTable& table, FormOutput output);

[[nodiscard]] std::shared_ptr<const semantics::Selection> to_selection(const TicketTable& table,
                                                                       const FormQuery& query);

/// A mix's queries, or a form's.
[[nodiscard]] Selections make_selections(const TicketTable& table, const std::string& mix_or_form, uint32_t count,
                                         Random& random);

}  // namespace daedalus::engine::bench

#include "key_choice.hpp"

#include <algorithm>
#include <array>

namespace daedalus::engine {
namespace {

/// Columns that keys are made of: the first so many that operations name equalities on. More would make planning
/// quadratic in the width of a table.
constexpr uint32_t kColumnsMax = 64;
/// Keys made in one cycle, at most: each is a pass of its own.
constexpr uint32_t kKeysMax = 16;
/// Equalities of one operation that are looked at: the most selective ones.
constexpr uint32_t kEqualitiesMax = 6;
/// Keys that one operation may ask for: longer IN lists are searched, not indexed.
constexpr uint32_t kMembersMax = 64;

/// ns a row, from engine_mix_bench: a pass of a probe, each byte of its key's columns (a pass is bound by reading
/// them), columns whose width no vector has, and what a candidate costs until it is known to be none.
constexpr double kProbeCost = 0.1;
constexpr double kByteCost = 0.05;
constexpr double kOddColumnCost = 0.1;
constexpr double kCandidateCost = 20;

double probe_cost(const TableLayout& layout, uint32_t column) {
  const uint32_t width = layout.columns[column].width;
  const bool is_vector_width = width == 1 || width == 2 || width == 4 || width == 8;
  return width * kByteCost + (is_vector_width ? 0 : kOddColumnCost);
}

/// A single equality that a key may hold.
struct Equality {
  uint32_t column = 0;  ///< Dense.
  uint32_t clause = 0;
  uint32_t members = 0;
  double share = 1;
};

class Chooser {
 public:
  Chooser(const TableLayout& layout, std::span<const KeyedOperation> operations, double cost_without)
      : layout_(&layout), operations_(operations), cost_without_(cost_without) {
    dense_.assign(layout.columns.size(), kColumnsMax);
    for (const KeyedOperation& operation : operations) {
      first_.push_back(static_cast<uint32_t>(equalities_.size()));
      add(operation);
    }
    first_.push_back(static_cast<uint32_t>(equalities_.size()));
  }

  Keys choose() {
    Keys keys;
    keys.choices.resize(operations_.size());
    for (uint32_t round = 0; round < kKeysMax; ++round) {
      gather(keys);
      const auto [gain, first, second] = best();
      if (gain <= 0) {
        break;
      }
      assign(keys, first, second);
    }
    return keys;
  }

 private:
  struct Best {
    double gain = 0;
    uint32_t first = 0;
    uint32_t second = 0;
  };

  void add(const KeyedOperation& operation) {
    uint32_t taken = 0;
    for (const WeighedClause& weighed : operation.clauses) {
      const CompiledClause& clause = operation.predicate->clauses()[weighed.clause];
      const CompiledLiteral& literal = operation.predicate->literals(clause)[0];
      if (clause.count != 1 || !literal.is_equality() || member_count(literal) > kMembersMax ||
          layout_->columns[literal.column].code.is_floating) {
        continue;
      }
      uint32_t& dense = dense_[literal.column];
      if (dense == kColumnsMax && columns_.size() < kColumnsMax) {
        dense = static_cast<uint32_t>(columns_.size());
        columns_.push_back(literal.column);
      }
      if (dense < kColumnsMax) {
        equalities_.push_back({dense, weighed.clause, member_count(literal), weighed.share});
        if (++taken == kEqualitiesMax) {
          return;
        }
      }
    }
  }

  /// Calls use(first, second, what a key of both saves this operation and those that it stands for) with the lower
  /// column first; both the same: a key of one column.
  template <typename Use>
  void for_each_pair(uint32_t position, Use&& use) const {
    const double weight = operations_[position].weight;
    for (uint32_t at = first_[position]; at < first_[position + 1]; ++at) {
      const Equality& one = equalities_[at];
      use(one, one, weight * (cost_without_ - one.share * kCandidateCost));
      for (uint32_t other = first_[position]; other < at; ++other) {
        const Equality& two = equalities_[other];
        if (one.members * two.members <= kMembersMax && one.column != two.column) {
          const double gain = weight * (cost_without_ - one.share * two.share * kCandidateCost);
          one.column < two.column ? use(one, two, gain) : use(two, one, gain);
        }
      }
    }
  }

  void gather(const Keys& keys) {
    gains_.fill(0);
    for (uint32_t position = 0; position < operations_.size(); ++position) {
      if (!keys.choices[position].has_value()) {
        for_each_pair(position, [this](const Equality& first, const Equality& second, double gain) {
          gains_[first.column * kColumnsMax + second.column] += std::max(0.0, gain);
        });
      }
    }
  }

  [[nodiscard]] Best best() const {
    Best found;
    for (uint32_t first = 0; first < columns_.size(); ++first) {
      for (uint32_t second = first; second < columns_.size(); ++second) {
        const double passes = kProbeCost + probe_cost(*layout_, columns_[first]) +
                              (second == first ? 0 : probe_cost(*layout_, columns_[second]));
        const double gain = gains_[first * kColumnsMax + second] - passes;
        if (gain > found.gain) {
          found = {gain, first, second};
        }
      }
    }
    return found;
  }

  void assign(Keys& keys, uint32_t first_column, uint32_t second_column) {
    const auto key = static_cast<uint32_t>(keys.columns.size());
    std::vector<uint32_t> columns = {columns_[first_column]};
    if (second_column != first_column) {
      columns.push_back(columns_[second_column]);
    }
    keys.columns.push_back(std::move(columns));
    for (uint32_t position = 0; position < operations_.size(); ++position) {
      if (!keys.choices[position].has_value()) {
        for_each_pair(position, [&](const Equality& first, const Equality& second, double gain) {
          if (gain > 0 && first.column == first_column && second.column == second_column) {
            keys.choices[position] = KeyChoice{key, {first.clause, second.clause}};
          }
        });
      }
    }
  }

  const TableLayout* layout_;
  std::span<const KeyedOperation> operations_;
  double cost_without_;
  std::vector<uint32_t> dense_;    ///< By column: its number among those of keys.
  std::vector<uint32_t> columns_;  ///< The other way round.
  std::vector<Equality> equalities_;
  std::vector<uint32_t> first_;  ///< By operation: its equalities begin there.
  std::array<double, kColumnsMax * kColumnsMax> gains_{};
};

double share_of(const CompiledLiteral& literal, const Sketches& sketches) {
  const Histogram& histogram = sketches.histogram(literal.column);
  const double values = 1 - histogram.null_share();
  switch (literal.kind) {
    case CompiledLiteral::Kind::kIsNull:
      return histogram.null_share();
    case CompiledLiteral::Kind::kIsNotNull:
      return values;
    case CompiledLiteral::Kind::kIn: {
      // As if its members were as common as the first of them.
      const double one = histogram.share(CodeRange{literal.codes.low, literal.codes.low});
      const double all = std::min(values, one * literal.constant_count);
      return literal.negated ? values - all : all;
    }
    default:
      break;
  }
  const double share = histogram.share(literal.codes);
  return literal.negated ? std::max(0.0, values - share) : share;
}

}  // namespace

void weigh_clauses(const CompiledPredicate& predicate, const Sketches& sketches, WeighedClause* out) {
  const std::span<const CompiledClause> clauses = predicate.clauses();
  for (uint32_t clause = 0; clause < clauses.size(); ++clause) {
    double share = 0;
    for (const CompiledLiteral& literal : predicate.literals(clauses[clause])) {
      share += share_of(literal, sketches);
    }
    share = std::min(share, 1.0);
    uint32_t to = clause;
    for (; to > 0 && out[to - 1].share > share; --to) {
      out[to] = out[to - 1];
    }
    out[to] = {clause, share};
  }
}

Keys choose_keys(const TableLayout& layout, std::span<const KeyedOperation> operations, double cost_without) {
  return Chooser(layout, operations, cost_without).choose();
}

uint64_t raw_member(const TableLayout& layout, const CompiledPredicate& predicate, const CompiledLiteral& literal,
                    uint32_t number) {
  const ColumnLayout& column = layout.columns[literal.column];
  if (literal.kind == CompiledLiteral::Kind::kRange) {
    return raw_of(column.code, literal.codes.low);
  }
  uint64_t raw = 0;
  std::memcpy(&raw, predicate.constants() + literal.constants + size_t{number} * column.width,
              std::min(column.width, 8u));
  return raw;
}

}  // namespace daedalus::engine

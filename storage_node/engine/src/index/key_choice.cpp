#include "key_choice.hpp"

#include <algorithm>
#include <array>

#include "branches.hpp"

namespace daedalus::engine {
namespace {

/// Columns that keys are made of: the first so many that operations name values of. More would make planning
/// quadratic in the width of a table.
constexpr uint32_t kColumnsMax = 64;  // Bits of a mask.
/// Keys made in one cycle, at most: each is a pass of its own.
constexpr uint32_t kKeysMax = 16;
/// Clauses that name their values, of one operation, that are looked at: the most selective ones.
constexpr uint32_t kNamedMax = 6;
/// Operations that a key's gain is summed over: of more than so many a part stands for all.
constexpr size_t kGatheredMax = 256;
/// Keys that one operation may ask for: longer IN lists are searched, not indexed.
constexpr uint32_t kMembersMax = 64;

/// ns a row, from engine_mix_bench: a pass of a probe over values and over sketches, each byte of its key's columns (a
/// pass is bound by reading them), columns whose width no vector has, and what a candidate costs until it is known to
/// be none.
constexpr double kProbeCost = 0.25;
constexpr double kSketchProbeCost = 0.05;
constexpr double kByteCost = 0.05;
constexpr double kOddColumnCost = 0.1;
constexpr double kCandidateCost = 20;
/// ns a row and operation, by the form of the key: what its bits in a filter let through beside its own rows.
constexpr double kFilterCosts[kKeyForms] = {0.001, 0.0003};

double probe_cost(const TableLayout& layout, KeyForm form, uint32_t column) {
  if (form == KeyForm::kSketches) {
    return kByteCost;
  }
  const uint32_t width = layout.columns[column].stride;
  const bool is_vector_width = width == 1 || width == 2 || width == 4 || width == 8;
  return width * kByteCost + (is_vector_width ? 0 : kOddColumnCost);
}

/// A clause that names its values, which a key may hold.
struct Named {
  uint32_t column = 0;  ///< Dense.
  uint32_t clause = 0;
  uint32_t members = 0;
  bool is_range = false;
  double shares[kKeyForms] = {1, 1};  ///< Of rows that are candidates, by the form of the key.
};

/// The share of rows whose buckets are those of a literal's values; of a list as if each was as common as the first.
double bucket_share(const Sketches& sketches, const CompiledPredicate& predicate, const CompiledLiteral& literal) {
  const Histogram& histogram = sketches.histogram(literal.column);
  if (literal.kind == CompiledLiteral::Kind::kRange) {
    return histogram.share(histogram.buckets(literal.codes));
  }
  const uint8_t bucket = histogram.bucket(predicate.member(literal, 0).code);
  return std::min(1.0, histogram.share(BucketRange{bucket, bucket}) * predicate.member_count(literal));
}

class Chooser {
 public:
  Chooser(const TableLayout& layout, const Sketches& sketches, std::span<const KeyedOperation> operations,
          double cost_without)
      : layout_(&layout), sketches_(&sketches), operations_(operations), cost_without_(cost_without) {
    dense_.assign(layout.columns.size(), kColumnsMax);
    for (const KeyedOperation& operation : operations) {
      first_.push_back(static_cast<uint32_t>(named_.size()));
      masks_.push_back(0);
      add(operation);
      if (masks_.back() != 0) {
        left_.push_back(masks_.size() - 1);
      }
    }
    first_.push_back(static_cast<uint32_t>(named_.size()));
  }

  Keys choose() {
    Keys keys;
    keys.choices.resize(operations_.size());
    for (uint32_t round = 0; round < kKeysMax && !left_.empty(); ++round) {
      gather();
      const Best chosen = best();
      if (chosen.gain <= 0) {
        break;
      }
      assign(keys, chosen);
    }
    return keys;
  }

 private:
  struct Best {
    double gain = 0;
    KeyForm form = KeyForm::kValues;
    uint32_t first = 0;
    uint32_t second = 0;
  };

  void add(const KeyedOperation& operation) {
    uint32_t taken = 0;
    for (const WeighedClause& weighed : operation.clauses) {
      const CompiledClause& clause = operation.predicate->clauses()[weighed.clause];
      const CompiledLiteral& literal = operation.predicate->literals(clause)[0];
      const uint32_t members = clause.count == 1 ? operation.predicate->member_count(literal) : 0;
      if (members == 0 || members > kMembersMax || layout_->columns[literal.column].code.is_floating) {
        continue;
      }
      uint32_t& dense = dense_[literal.column];
      if (dense == kColumnsMax && columns_.size() < kColumnsMax) {
        dense = static_cast<uint32_t>(columns_.size());
        columns_.push_back(literal.column);
      }
      if (dense < kColumnsMax) {
        masks_.back() |= uint64_t{1} << dense;
        const double shares[kKeyForms] = {weighed.share, bucket_share(*sketches_, *operation.predicate, literal)};
        named_.push_back({dense, weighed.clause, members, !literal.is_equality(), {shares[0], shares[1]}});
        if (++taken == kNamedMax) {
          return;
        }
      }
    }
  }

  /// What a key of both saves an operation, both the same for a key of one column; and those that it stands for.
  [[nodiscard]] double saved(KeyForm form, const Named& first, const Named& second, double weight) const {
    const auto at = static_cast<uint32_t>(form);
    const double share = first.shares[at] * (&first == &second ? 1 : second.shares[at]);
    return weight * (cost_without_ - kFilterCosts[at] - share * kCandidateCost);
  }

  /// Calls use(first, second) for every key that the operation could ask for, the lower column first; both the same: a
  /// key of one column.
  template <typename Use>
  void for_each_key(size_t position, Use&& use) const {
    for (uint32_t at = first_[position]; at < first_[position + 1]; ++at) {
      const Named& one = named_[at];
      use(one, one);
      for (uint32_t other = first_[position]; other < at; ++other) {
        const Named& two = named_[other];
        if (one.members * two.members <= kMembersMax && one.column != two.column) {
          const bool is_ordered = one.column < two.column;
          use(is_ordered ? one : two, is_ordered ? two : one);
        }
      }
    }
  }

  [[nodiscard]] double& gain(KeyForm form, uint32_t first, uint32_t second) {
    return gains_[(static_cast<uint32_t>(form) * kColumnsMax + first) * kColumnsMax + second];
  }

  void gather() {
    gains_.fill(0);
    const size_t step = (left_.size() + kGatheredMax - 1) / kGatheredMax;
    for (size_t at = 0; at < left_.size(); at += step) {
      const double weight = operations_[left_[at]].weight * static_cast<double>(step);
      for_each_key(left_[at], [&](const Named& first, const Named& second) {
        for (uint32_t number = 0; number < kKeyForms; ++number) {
          const auto form = static_cast<KeyForm>(number);
          gain(form, first.column, second.column) += std::max(0.0, saved(form, first, second, weight));
        }
      });
    }
  }

  [[nodiscard]] double pass_cost(KeyForm form, uint32_t first, uint32_t second) const {
    return (form == KeyForm::kSketches ? kSketchProbeCost : kProbeCost) + probe_cost(*layout_, form, columns_[first]) +
           (second == first ? 0 : probe_cost(*layout_, form, columns_[second]));
  }

  [[nodiscard]] Best best() {
    Best found;
    for (uint32_t form = 0; form < kKeyForms; ++form) {
      for (uint32_t first = 0; first < columns_.size(); ++first) {
        for (uint32_t second = first; second < columns_.size(); ++second) {
          const auto key_form = static_cast<KeyForm>(form);
          const double saved = gain(key_form, first, second) - pass_cost(key_form, first, second);
          if (saved > found.gain) {
            found = {saved, key_form, first, second};
          }
        }
      }
    }
    return found;
  }

  void assign(Keys& keys, const Best& chosen) {
    const auto key = static_cast<uint32_t>(keys.keys.size());
    keys.keys.push_back({{columns_[chosen.first]}, chosen.form});
    if (chosen.second != chosen.first) {
      keys.keys.back().columns.push_back(columns_[chosen.second]);
    }
    std::erase_if(left_, [&](size_t position) {
      keys.choices[position] = choice(position, key, chosen);
      return keys.choices[position].has_value();
    });
  }

  /// How the operation asks for a key; nothing where it does not, or where that would save nothing.
  [[nodiscard]] std::optional<KeyChoice> choice(size_t position, uint32_t key, const Best& chosen) const {
    const uint64_t columns = uint64_t{1} << chosen.first | uint64_t{1} << chosen.second;
    if ((masks_[position] & columns) != columns) {
      return std::nullopt;
    }
    const Named& first = named(position, chosen.first);
    const Named& second = named(position, chosen.second);
    const bool is_bounded = chosen.first == chosen.second || first.members * second.members <= kMembersMax;
    if (!is_bounded || saved(chosen.form, first, second, 1) <= 0) {
      return std::nullopt;
    }
    if (first.is_range || second.is_range) {
      mark_branch(Branch::kKeyOfRange);
    }
    return KeyChoice{key, {first.clause, second.clause}};
  }

  /// The operation's most selective clause that names a column's values. Precondition: it has one.
  [[nodiscard]] const Named& named(size_t position, uint32_t column) const {
    uint32_t at = first_[position];
    while (named_[at].column != column) {
      ++at;
    }
    return named_[at];
  }

  const TableLayout* layout_;
  const Sketches* sketches_;
  std::span<const KeyedOperation> operations_;
  double cost_without_;
  std::vector<uint32_t> dense_;    ///< By column: its number among those of keys.
  std::vector<uint32_t> columns_;  ///< The other way round.
  std::vector<Named> named_;
  std::vector<uint32_t> first_;  ///< By operation: its named clauses begin there.
  std::vector<uint64_t> masks_;  ///< By operation: bit c for dense column c.
  std::vector<size_t> left_;     ///< Positions of operations that name values and have no key yet.
  std::array<double, kKeyForms * kColumnsMax * kColumnsMax> gains_{};
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

Keys choose_keys(const TableLayout& layout, const Sketches& sketches, std::span<const KeyedOperation> operations,
                 double cost_without) {
  return Chooser(layout, sketches, operations, cost_without).choose();
}

}  // namespace daedalus::engine

#include "key_choice.hpp"

#include <algorithm>
#include <array>

#include "branches.hpp"

namespace daedalus::engine {
namespace {

/// Columns that keys are made of: the first so many that askers name values of. More would make planning quadratic in
/// the width of a table.
constexpr uint32_t kColumnsMax = 64;  // Bits of a mask.
/// Keys made in one cycle, at most: each is a pass of its own.
constexpr uint32_t kKeysMax = 16;
/// Askers that a key's gain is summed over: of more than so many a part stands for all.
constexpr size_t kGatheredMax = 256;

/// ns a row, from engine_mix_bench: a pass of a probe over values and over sketches, by whether filters are asked in
/// registers; each byte of its key's columns (a
/// pass is bound by reading them), columns whose width no vector has, and what a candidate costs until it is known to
/// be none.
constexpr double kProbeCosts[2][kKeyForms] = {{0.6, 1.2}, {0.25, 0.05}};
constexpr double kByteCost = 0.05;
constexpr double kOddColumnCost = 0.1;
constexpr double kCandidateCost = 20;
/// ns a row and value asked for, by the form of the key: what its bits in a filter let through beside its own rows; and
/// all that filters can let through of one asker's.
constexpr double kFilterCosts[kKeyForms] = {0.001, 0.0003};
constexpr double kFilterCostMax = 0.3;
/// ns a value that an index is built of; of smaller tables as if they had so many rows.
constexpr double kEntryCost = 60;
constexpr double kEntryRowsMin = 16'384;

double probe_cost(const TableLayout& layout, KeyForm form, uint32_t column) {
  if (form == KeyForm::kSketches) {
    return kByteCost;
  }
  const uint32_t width = layout.columns[column].stride;
  const bool is_vector_width = width == 1 || width == 2 || width == 4 || width == 8;
  return width * kByteCost + (is_vector_width ? 0 : kOddColumnCost);
}

/// The share of rows whose buckets are those of a literal's values; of a list as if each was as common as the first.
double bucket_share(const Sketches& sketches, const CompiledPredicate& predicate, const CompiledLiteral& literal) {
  const Histogram& histogram = sketches.histogram(literal.column);
  if (literal.kind == CompiledLiteral::Kind::kRange) {
    return histogram.share(histogram.buckets(literal.codes));
  }
  const uint8_t bucket = histogram.bucket(predicate.member(literal, 0).code);
  return std::min(1.0, histogram.share(BucketRange{bucket, bucket}) * predicate.member_count(literal));
}

/// A named column as costs are reckoned with it.
struct Named {
  uint32_t column = 0;  ///< Dense.
  uint32_t members = 1;
  double count = 1;  ///< Counts the members.
  double shares[kKeyForms] = {1, 1};
  const NamedColumn* it = nullptr;
};
/// Beside the only column of a key.
constexpr Named kNothing;

class Chooser {
 public:
  Chooser(const TableLayout& layout, const Sketches& sketches, std::span<const KeyAsker> askers, AccessPaths paths)
      : layout_(&layout),
        askers_(askers),
        paths_(paths),
        probe_costs_(kProbeCosts[has_fast_probes() ? 1 : 0]),
        entry_cost_(kEntryCost / std::max(kEntryRowsMin, static_cast<double>(sketches.row_count()))) {
    dense_.assign(layout.columns.size(), kColumnsMax);
    for (const KeyAsker& asker : askers) {
      first_.push_back(static_cast<uint32_t>(named_.size()));
      masks_.push_back(0);
      add(asker);
      if (masks_.back() != 0) {
        left_.push_back(masks_.size() - 1);
      }
    }
    first_.push_back(static_cast<uint32_t>(named_.size()));
  }

  Keys choose() {
    Keys keys;
    keys.choices.resize(askers_.size());
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

  void add(const KeyAsker& asker) {
    for (const NamedColumn& named : asker.named) {
      uint32_t& dense = dense_[named.column];
      if (dense == kColumnsMax && columns_.size() < kColumnsMax) {
        dense = static_cast<uint32_t>(columns_.size());
        columns_.push_back(named.column);
      }
      if (dense < kColumnsMax) {
        masks_.back() |= uint64_t{1} << dense;
        named_.push_back(
            {dense, named.members, static_cast<double>(named.members), {named.shares[0], named.shares[1]}, &named});
      }
    }
  }

  /// Returns what a key of both saves an asker.
  [[nodiscard]] double saved(KeyForm form, const KeyAsker& asker, const Named& first, const Named& second) const {
    const auto at = static_cast<uint32_t>(form);
    const double alternatives = asker.alternatives;
    const double entries = alternatives * first.count * second.count;
    const double share = std::min(1.0, alternatives * first.shares[at] * second.shares[at]);
    return asker.cost_without - std::min(kFilterCostMax, kFilterCosts[at] * entries) - entry_cost_ * entries -
           share * kCandidateCost;
  }

  [[nodiscard]] static bool is_bounded(const Named& first, const Named& second) {
    return uint64_t{first.members} * second.members <= kPairMembersMax;
  }

  void gather() {
    gains_.fill(0);
    const size_t step = (left_.size() + kGatheredMax - 1) / kGatheredMax;
    for (size_t at = 0; at < left_.size(); at += step) {
      gather(left_[at], static_cast<double>(step));
    }
  }

  /// Adds what each key that an asker could ask for saves it; the lower column is the first.
  void gather(size_t position, double weight) {
    const KeyAsker& asker = askers_[position];
    weight *= asker.weight;
    for (uint32_t at = first_[position]; at < first_[position + 1]; ++at) {
      const Named& one = named_[at];
      add_gain(asker, one, kNothing, one.column, one.column, weight);
      for (uint32_t other = first_[position]; other < at; ++other) {
        const Named& two = named_[other];
        if (one.column != two.column && is_bounded(one, two)) {
          add_gain(asker, one, two, std::min(one.column, two.column), std::max(one.column, two.column), weight);
        }
      }
    }
  }

  void add_gain(const KeyAsker& asker, const Named& one, const Named& two, uint32_t first, uint32_t second,
                double weight) {
    for (const KeyForm form : {KeyForm::kValues, KeyForm::kSketches}) {
      gain(form, first, second) += weight * std::max(0.0, saved(form, asker, one, two));
    }
  }

  [[nodiscard]] double& gain(KeyForm form, uint32_t first, uint32_t second) {
    return gains_[(static_cast<uint32_t>(form) * kColumnsMax + first) * kColumnsMax + second];
  }

  [[nodiscard]] double pass_cost(KeyForm form, uint32_t first, uint32_t second) const {
    return probe_costs_[static_cast<uint32_t>(form)] + probe_cost(*layout_, form, columns_[first]) +
           (second == first ? 0 : probe_cost(*layout_, form, columns_[second]));
  }

  [[nodiscard]] Best best() {
    Best found;
    const auto column_count = static_cast<uint32_t>(columns_.size());
    for (const KeyForm key_form : {KeyForm::kValues, KeyForm::kSketches}) {
      if (paths_ == (key_form == KeyForm::kValues ? AccessPaths::kWithoutValueKeys : AccessPaths::kWithoutSketchKeys)) {
        continue;
      }
      for (uint32_t first = 0; first < column_count; ++first) {
        const uint32_t second_end = paths_ == AccessPaths::kWithoutPairs ? first + 1 : column_count;
        for (uint32_t second = first; second < second_end; ++second) {
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

  /// How the asker asks for a key; nothing where it does not, or where that would save nothing.
  [[nodiscard]] std::optional<KeyChoice> choice(size_t position, uint32_t key, const Best& chosen) const {
    const uint64_t columns = uint64_t{1} << chosen.first | uint64_t{1} << chosen.second;
    if ((masks_[position] & columns) != columns) {
      return std::nullopt;
    }
    const Named& first = named(position, chosen.first);
    const Named& second = chosen.first == chosen.second ? kNothing : named(position, chosen.second);
    if ((second.it != nullptr && !is_bounded(first, second)) ||
        saved(chosen.form, askers_[position], first, second) <= 0) {
      return std::nullopt;
    }
    const NamedColumn& last = second.it == nullptr ? *first.it : *second.it;
    if (first.it->is_range || last.is_range) {
      mark_branch(Branch::kKeyOfRange);
    }
    if (first.members > kPairMembersMax) {
      mark_branch(Branch::kListKey);
    }
    return KeyChoice{key, {first.it->source, last.source}};
  }

  /// The most selective values of a column that the asker names. Precondition: it names some.
  [[nodiscard]] const Named& named(size_t position, uint32_t column) const {
    uint32_t at = first_[position];
    while (named_[at].column != column) {
      ++at;
    }
    return named_[at];
  }

  const TableLayout* layout_;
  std::span<const KeyAsker> askers_;
  AccessPaths paths_;
  const double (&probe_costs_)[kKeyForms];  ///< By form.
  double entry_cost_;                       ///< ns a row and value.
  std::vector<uint32_t> dense_;             ///< By column: its number among those of keys.
  std::vector<uint32_t> columns_;           ///< The other way round.
  std::vector<Named> named_;
  std::vector<uint32_t> first_;  ///< By asker: its named columns begin there.
  std::vector<uint64_t> masks_;  ///< By asker: bit c for dense column c.
  std::vector<size_t> left_;     ///< Positions of askers that name values and have no key yet.
  std::array<double, kKeyForms * kColumnsMax * kColumnsMax> gains_{};
};

/// The share of rows in a list, as if its members were as common as some of them.
double list_share(const CompiledPredicate& predicate, const CompiledLiteral& literal, const Histogram& histogram) {
  constexpr uint32_t kLooksMax = 8;
  const uint32_t looks = std::min(kLooksMax, literal.constant_count);
  double share = 0;
  for (uint32_t look = 0; look < looks; ++look) {
    const uint64_t code = predicate.member(literal, look * (literal.constant_count / looks)).code;
    share += histogram.share(CodeRange{code, code});
  }
  return share * literal.constant_count / looks;
}

double share_of(const CompiledPredicate& predicate, const CompiledLiteral& literal, const Sketches& sketches) {
  const Histogram& histogram = sketches.histogram(literal.column);
  const double values = 1 - histogram.null_share();
  switch (literal.kind) {
    case CompiledLiteral::Kind::kIsNull:
      return histogram.null_share();
    case CompiledLiteral::Kind::kIsNotNull:
      return values;
    case CompiledLiteral::Kind::kIn: {
      const double all = std::min(values, list_share(predicate, literal, histogram));
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
      share += share_of(predicate, literal, sketches);
    }
    share = std::min(share, 1.0);
    uint32_t to = clause;
    for (; to > 0 && out[to - 1].share > share; --to) {
      out[to] = out[to - 1];
    }
    out[to] = {clause, share};
  }
}

double candidate_cost(double share) { return share * kCandidateCost; }

void append_named(const Sketches& sketches, const KeyedOperation& operation, uint32_t members_max,
                  std::vector<NamedColumn>& out) {
  uint32_t taken = 0;
  for (const WeighedClause& weighed : operation.clauses) {
    const CompiledClause& clause = operation.predicate->clauses()[weighed.clause];
    const CompiledLiteral& literal = operation.predicate->literals(clause)[0];
    const uint32_t members = clause.count == 1 ? operation.predicate->member_count(literal) : 0;
    if (members == 0 || members > members_max) {
      continue;
    }
    const double shares[kKeyForms] = {weighed.share, bucket_share(sketches, *operation.predicate, literal)};
    out.push_back({literal.column, weighed.clause, members, !literal.is_equality(), {shares[0], shares[1]}});
    if (++taken == kNamedMax) {
      return;
    }
  }
}

Keys choose_keys(const TableLayout& layout, const Sketches& sketches, std::span<const KeyAsker> askers,
                 AccessPaths paths) {
  return Chooser(layout, sketches, askers, paths).choose();
}

Keys choose_keys(const TableLayout& layout, const Sketches& sketches, std::span<const KeyedOperation> operations,
                 double cost_without) {
  std::vector<NamedColumn> named;
  named.reserve(operations.size() * kNamedMax);  // Spans into it stay.
  std::vector<KeyAsker> askers;
  askers.reserve(operations.size());
  for (const KeyedOperation& operation : operations) {
    const size_t first = named.size();
    append_named(sketches, operation, kPairMembersMax, named);
    askers.push_back(
        {.named = std::span(named).subspan(first), .cost_without = cost_without, .weight = operation.weight});
  }
  return choose_keys(layout, sketches, askers);
}

}  // namespace daedalus::engine

#include "query_keys.hpp"

#include <algorithm>
#include <cmath>

#include "branches.hpp"
#include "query_masks.hpp"

namespace daedalus::engine {
namespace {

/// A conjunction whose candidates cost less than this (ns a row of the segment) is not looked at for alternatives.
constexpr double kCheapCandidates = 0.01;
/// Groups of a query's alternatives, at most: each wants a key of its own.
constexpr size_t kGroupsMax = 16;
/// Values that the alternatives of one cycle's queries may name beyond those that their conditions have: products with
/// values named beside them.
constexpr size_t kMembersBeyond = 1u << 18;
/// Bitmaps have bounds so far apart, as a share of rows, that no less is found by them; a value has the bitmap of its
/// bucket.
constexpr double kBitmapShareMin = 1.0 / 48;
constexpr double kBucketShareMin = 1.0 / 200;
/// If bitmaps leave no more rows than that, another one costs more than testing those.
constexpr double kLeftMin = 0.0016;
/// Longer disjunctions and lists have no bitmaps.
constexpr uint32_t kBitmapRangesMax = 8;
/// Alternatives that shares are reckoned from: of more than so many some stand for all.
constexpr uint32_t kSampledArms = 64;
/// ns: searching a list takes this for each doubling of its length, a disjunction for each of its literals.
constexpr double kSearchCost = 3;
constexpr double kJoinedCost = 3;
constexpr double kJoinedMax = 64;

}  // namespace

QueryKeys::QueryKeys(const TableLayout& layout, const Sketches& sketches, std::span<const KeyedOperation> operations,
                     std::span<const semantics::Condition* const> trees, AccessPaths paths)
    : layout_(&layout), sketches_(&sketches), operations_(operations), paths_(paths), members_left_(kMembersBeyond) {
  if ((is_by_cost(paths) && paths != AccessPaths::kWithoutKeys) || paths == AccessPaths::kKeys) {
    named_.reserve(operations.size() * kNamedMax);
    askers_.reserve(operations.size());
    asking_.reserve(operations.size());
    for (size_t position = 0; position < operations.size(); ++position) {
      ask(operations[position], *trees[position]);
    }
    const double read = read_cost();
    std::vector<KeyAsker> askers;
    askers.reserve(askers_.size());
    for (const Asker& asker : askers_) {
      askers.push_back({.named = std::span(named_).subspan(asker.first, asker.count),
                        .alternatives = asker.alternatives,
                        .cost_without = cost_without_key(paths_, asker.cost + read)});
    }
    take(choose_keys(layout, sketches, askers, paths_));
  } else {
    has_key_.assign(operations.size(), false);
    first_entry_.assign(operations.size() + 1, 0);
  }
}

void QueryKeys::ask(const KeyedOperation& operation, const semantics::Condition& tree) {
  asking_.push_back({.first = static_cast<uint32_t>(askers_.size())});
  const double cost = cost_without(operation);
  const auto first = static_cast<uint32_t>(named_.size());
  append_named(*sketches_, operation, semantics::kLiteralsMax, named_);
  const std::span<const NamedColumn> named = std::span(named_).subspan(first);
  if (operation.predicate->joined_literals() > 0) {
    double share = 1;
    if (!named.empty()) {
      share = named[0].shares[0];
      const auto is_other = [&](const NamedColumn& one) {
        return one.column != named[0].column && uint64_t{one.members} * named[0].members <= kPairMembersMax;
      };
      const auto other = std::find_if(named.begin(), named.end(), is_other);
      share *= other == named.end() ? 1 : other->shares[0];
    }
    if (paths_ != AccessPaths::kWithoutAlternatives && candidate_cost(share) > kCheapCandidates &&
        ask_alternatives(operation, tree, cost, share)) {
      return;
    }
  }
  askers_.push_back({first, static_cast<uint32_t>(named.size()), 1, cost});
  asking_.back().count = 1;
}

bool QueryKeys::ask_alternatives(const KeyedOperation& operation, const semantics::Condition& tree, double cost,
                                 double conjunction_share) {
  const size_t first_arm = arms_.arms.size();
  const size_t first_group = groups_.size();
  for (const uint32_t columns_max : {kArmColumnsMax, 1u}) {
    const size_t first_ordered = ordered_.size();
    const auto before = std::array{arms_.named.size(), arms_.members.size()};
    if (!write_arms(operation, tree, columns_max)) {
      return false;
    }
    group_arms(first_arm);
    // Half as many candidates are worth as many entries, and another index or two.
    const bool is_better = estimated_share(first_arm) < conjunction_share / 2;
    if (is_better && groups_.size() - first_group <= kGroupsMax) {
      break;
    }
    groups_.resize(first_group);
    ordered_.resize(first_ordered);
    arms_.arms.resize(first_arm);
    arms_.named.resize(before[0]);
    arms_.members.resize(before[1]);
    if (!is_better || columns_max == 1) {
      return false;
    }
  }
  mark_branch(Branch::kAlternatives);
  const auto count = static_cast<uint32_t>(groups_.size() - first_group);
  for (size_t group = first_group; group < groups_.size(); ++group) {
    const auto named = static_cast<uint32_t>(named_.size());
    describe_group(groups_[group]);
    askers_.push_back(
        {named, static_cast<uint32_t>(named_.size()) - named, groups_[group].count, cost / std::max(count, 1u)});
  }
  asking_.back().count = count;
  asking_.back().first_group = static_cast<uint32_t>(first_group);
  return true;
}

bool QueryKeys::write_arms(const KeyedOperation& operation, const semantics::Condition& tree, uint32_t columns_max) {
  const CompiledPredicate& predicate = *operation.predicate;
  std::vector<uint32_t> clauses;
  bool has_tree = false;
  for (const WeighedClause& weighed : operation.clauses) {
    has_tree |= predicate.clauses()[weighed.clause].is_tree;
    clauses.push_back(weighed.clause);
  }
  const size_t named_before = arms_.members.size();
  const ArmBounds bounds{.members_max = named_before + predicate.clause_constants_max() + members_left_,
                         .columns_max = columns_max};
  const bool is_written = (has_tree && append_arms(*sketches_, *layout_, predicate, tree, clauses, bounds, arms_)) ||
                          append_arms(*sketches_, *layout_, predicate, clauses, bounds, arms_);
  if (is_written) {
    const size_t written = arms_.members.size() - named_before;
    members_left_ -= std::min(members_left_, written - std::min<size_t>(written, predicate.clause_constants_max()));
  }
  return is_written;
}

double QueryKeys::value_share(const ConditionArms::Named& named, KeyForm form) const {
  const Histogram& histogram = sketches_->histogram(named.column);
  constexpr uint32_t kLooksMax = 8;
  const uint32_t looks = std::min(kLooksMax, named.count);
  double share = 0;
  for (uint32_t look = 0; look < looks; ++look) {
    const uint64_t code = arms_.members[named.first + look * (named.count / looks)].code;
    const uint8_t bucket = form == KeyForm::kSketches ? histogram.bucket(code) : 0;
    share += form == KeyForm::kSketches ? histogram.share(BucketRange{bucket, bucket})
                                        : histogram.share(CodeRange{code, code});
  }
  return std::min(1.0, share * named.count / looks);
}

/// Estimates the share of rows that are candidates of some alternative, by the best key that each could have.
double QueryKeys::estimated_share(size_t first_arm) {
  double all = 0;
  const size_t step = (arms_.arms.size() - first_arm) / kSampledArms + 1;
  for (size_t arm = first_arm; arm < arms_.arms.size(); arm += step) {
    double lowest = 1;
    double second = 1;
    for (const ConditionArms::Named& named : arms_.named_by(arms_.arms[arm])) {
      const double share = value_share(named, KeyForm::kValues);
      second = std::min(second, std::max(lowest, share));
      lowest = std::min(lowest, share);
    }
    all += lowest * second * static_cast<double>(std::min(step, arms_.arms.size() - arm));
  }
  return std::min(all, 1.0);
}

void QueryKeys::group_arms(size_t first_arm) {
  const auto columns_before = [this](uint32_t left, uint32_t right) {
    const auto one = arms_.named_by(arms_.arms[left]);
    const auto other = arms_.named_by(arms_.arms[right]);
    return std::lexicographical_compare(
        one.begin(), one.end(), other.begin(), other.end(),
        [](const ConditionArms::Named& left_named, const ConditionArms::Named& right_named) {
          return left_named.column < right_named.column;
        });
  };
  const auto first = static_cast<std::ptrdiff_t>(ordered_.size());
  for (size_t arm = first_arm; arm < arms_.arms.size(); ++arm) {
    ordered_.push_back(static_cast<uint32_t>(arm));
  }
  std::stable_sort(ordered_.begin() + first, ordered_.end(), columns_before);
  for (auto at = static_cast<uint32_t>(first); at < ordered_.size(); ++at) {
    if (at == static_cast<uint32_t>(first) || columns_before(ordered_[at - 1], ordered_[at])) {
      groups_.push_back({at, 0});
    }
    ++groups_.back().count;
  }
}

void QueryKeys::describe_group(const Group& group) {
  const size_t first = named_.size();
  const auto columns = arms_.named_by(arms_.arms[ordered_[group.first]]);
  for (uint32_t place = 0; place < columns.size(); ++place) {
    named_.push_back({.column = columns[place].column, .source = place, .members = 0, .shares = {0, 0}});
  }
  const uint32_t step = group.count / kSampledArms + 1;
  const double sampled = (group.count + step - 1) / step;
  for (uint32_t at = group.first; at < group.first + group.count; ++at) {
    const auto arm = arms_.named_by(arms_.arms[ordered_[at]]);
    for (uint32_t place = 0; place < arm.size(); ++place) {
      NamedColumn& named = named_[first + place];
      named.members = std::max(named.members, arm[place].count);
      named.is_range |= arm[place].is_range;
      for (uint32_t form = 0; form < kKeyForms && (at - group.first) % step == 0; ++form) {
        named.shares[form] += value_share(arm[place], static_cast<KeyForm>(form)) / sampled;
      }
    }
  }
}

/// Returns what a query lets through costs: without a key, bitmaps leave so many rows, and each is tested.
double QueryKeys::cost_without(const KeyedOperation& operation) const {
  double left = 1;
  double test = kBitmapCandidateCost;
  for (const WeighedClause& weighed : operation.clauses) {
    const CompiledClause& clause = operation.predicate->clauses()[weighed.clause];
    const CompiledLiteral& literal = operation.predicate->literals(clause)[0];
    if (clause.count > kBitmapRangesMax || clause.is_tree) {
      test += kJoinedCost * std::min<double>(clause.count, kJoinedMax);
    } else if (literal.constant_count > kBitmapRangesMax) {
      test += kSearchCost * std::log2(literal.constant_count);
    } else {
      const bool is_values = literal.is_equality();
      const double least = is_values ? kBucketShareMin : kBitmapShareMin;
      left *= std::min(1.0, std::max(weighed.share, clause.count * std::max(1u, literal.constant_count) * least));
    }
    if (left <= kLeftMin) {
      break;
    }
  }
  return (uses_masks(paths_) ? kMaskQueryCost : kSketchQueryCost) + left * test;
}

/// Returns what reading planes of sketches costs a query that no key finds: fewer and fewer the more of them there are.
/// They are reckoned as many as do not name the column that most name, since that has a key.
double QueryKeys::read_cost() const {
  std::vector<uint32_t> counts(layout_->columns.size(), 0);
  uint32_t most = 0;
  for (const NamedColumn& named : named_) {
    most = std::max(most, ++counts[named.column]);
  }
  const auto others = static_cast<double>(askers_.size() - std::min<size_t>(most, askers_.size()));
  return std::min(kSketchReadCost, kSketchReadCostMax / std::max(others, 1.0));
}

void QueryKeys::take(Keys&& chosen) {
  keys_ = std::move(chosen.keys);
  first_entry_.reserve(operations_.size() + 1);
  std::vector<bool> is_used(keys_.size(), false);
  for (const Asking& asking : asking_) {
    first_entry_.push_back(static_cast<uint32_t>(entries_.size()));
    const auto first = chosen.choices.begin() + asking.first;
    has_key_.push_back(std::all_of(first, first + asking.count, [](const auto& choice) { return choice.has_value(); }));
    if (has_key_.back()) {
      add_entries(asking, chosen);
    }
  }
  first_entry_.push_back(static_cast<uint32_t>(entries_.size()));
  // A key whose only askers lack another one is no one's.
  for (const Entry& entry : entries_) {
    is_used[entry.choice.key] = true;
  }
  std::vector<uint32_t> number(keys_.size(), 0);
  uint32_t kept = 0;
  for (uint32_t key = 0; key < number.size(); ++key) {
    number[key] = kept;
    if (is_used[key]) {
      std::swap(keys_[kept++], keys_[key]);
    }
  }
  keys_.resize(kept);
  for (Entry& entry : entries_) {
    entry.choice.key = number[entry.choice.key];
  }
}

void QueryKeys::add_entries(const Asking& asking, const Keys& chosen) {
  for (uint32_t at = 0; at < asking.count; ++at) {
    const Asker& asker = askers_[asking.first + at];
    Entry entry{.choice = *chosen.choices[asking.first + at]};
    entry.group = asking.first_group == kConjunction ? kConjunction : asking.first_group + at;
    const Key& key = keys_[entry.choice.key];
    entry.share = asker.alternatives;
    for (const NamedColumn& named : std::span(named_).subspan(asker.first, asker.count)) {
      const bool is_key = std::find(key.columns.begin(), key.columns.end(), named.column) != key.columns.end();
      entry.share *= is_key ? named.shares[static_cast<uint32_t>(key.form)] : 1;
    }
    entries_.push_back(entry);
  }
}

}  // namespace daedalus::engine

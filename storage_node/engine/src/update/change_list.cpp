#include "change_list.hpp"

#include <algorithm>

namespace daedalus::engine {
namespace {

/// ns a row that a change costs when it passes over columns on its own.
constexpr double kScanCost = 0.4;
/// A key whose candidates are a larger share of the rows costs more than passing over columns.
constexpr double kKeyShareMax = 0.01;
/// A list of values is indexed, however long, when no more than this share of the rows is in it: beyond, testing the
/// candidates costs as much as searching the list for each row.
constexpr double kListShareMax = 0.1;
/// Values of lists that are indexed in one cycle beside the keys chosen, at most: they bound what indexes may take.
constexpr uint32_t kListKeysMax = 1u << 18;
/// When so few rows satisfy an equality, they are tested one by one and no list is searched for every row.
constexpr double kFewRows = 1.0 / 16;

}  // namespace

ChangeList::ChangeList(const TableLayout& layout, Sketches& sketches, std::pmr::memory_resource& memory,
                       AccessPaths paths)
    : layout_(&layout),
      sketches_(&sketches),
      memory_(&memory),
      paths_(paths),
      computed_row_(layout),
      modifications_(layout) {}

void ChangeList::add_delete(Source source, const semantics::DeletePart& part) {
  if (add(source, part.predicate, part.residuals)) {
    changes_.back().is_delete = 1;
  }
}

void ChangeList::add_modification(Source source, const semantics::ModifyPart& part) {
  if (add(source, part.predicate, part.residuals)) {
    const Modifications::Part writes = modifications_.compile(part.assignments);
    changes_.back().first_write = writes.first;
    changes_.back().write_count = writes.count & 0x7ff;
  }
}

bool ChangeList::add(Source source, const semantics::Predicate& predicate, const semantics::Residuals& residuals) {
  predicates_.emplace_back(*layout_, predicate, memory_);
  if (predicates_.back().is_never()) {
    predicates_.pop_back();
    return false;
  }
  changes_.push_back({.update = source.update});
  changes_.back().is_counted = source.is_counted ? 1 : 0;
  if (residuals != nullptr) {
    changes_.back().has_residuals = 1;
    computed_.push_back({size() - 1, residuals});
  }
  sequences_.push_back(source.sequence);
  return true;
}

void ChangeList::index() {
  choose_leaders();
  list_keys_left_ = kListKeysMax;
  const Keys keys = choose_keys(*layout_, *sketches_, leaders_, cost_without_key(paths_, kScanCost));
  for (const Key& key : keys.keys) {
    indexes_.emplace_back(*layout_, *sketches_, key);
  }
  for (uint32_t leader = 0; leader < leaders_.size(); ++leader) {
    std::optional<KeyChoice>& choice = shapes_[shape_of_[leaders_[leader].operation]].choice;
    choice = choice.has_value() ? choice : keys.choices[leader];
  }
  for (uint32_t change = 0; change < size(); ++change) {
    const KeyedOperation& leader = leaders_[leader_of_[change]];
    keep_tests(change, leader.clauses);
    std::optional<KeyChoice> choice =
        leader.operation == change ? keys.choices[leader_of_[change]] : choice_of_follower(change);
    if (!choice.has_value()) {
      choice = list_key(change, leader.clauses);
    }
    if (!choice.has_value()) {
      scans_.push_back(change);
      continue;
    }
    ChangeIndex& index = indexes_[choice->key];
    for_each_key(*layout_, predicates_[change], *choice, static_cast<uint32_t>(index.columns().size()),
                 [&](std::span<const CodedValue> members) { index.add(members, *sketches_, change); });
  }
  for (ChangeIndex& index : indexes_) {
    index.build();
  }
  mark_key_touches();
}

void ChangeList::choose_leaders() {
  size_t clauses = 0;
  for (const CompiledPredicate& predicate : predicates_) {
    clauses += predicate.clauses().size();
  }
  if (weighed_.size() < clauses) {
    weighed_.resize(clauses);
  }
  WeighedClause* next = weighed_.data();
  for (uint32_t change = 0; change < size(); ++change) {
    const CompiledPredicate& predicate = predicates_[change];
    const uint32_t number = known_shapes_.number_of(predicate);
    shape_of_.push_back(number);
    shapes_.resize(known_shapes_.count());
    Shape& shape = shapes_[number];
    const uint32_t place = shape.changes++ % kLeadersMax;
    if (place < shape.changes - 1 && leaders_[shape.leaders[place]].clauses.size() == predicate.clauses().size()) {
      leader_of_.push_back(shape.leaders[place]);
      leaders_[shape.leaders[place]].weight += 1;
      continue;
    }
    shape.leaders[place] = static_cast<uint32_t>(leaders_.size());
    leader_of_.push_back(shape.leaders[place]);
    weigh_clauses(predicate, *sketches_, next);
    leaders_.push_back({change, &predicate, {next, predicate.clauses().size()}});
    next += predicate.clauses().size();
  }
}

std::optional<KeyChoice> ChangeList::choice_of_follower(uint32_t change) {
  const std::optional<KeyChoice>& choice = shapes_[shape_of_[change]].choice;
  if (!choice.has_value()) {
    return std::nullopt;
  }
  const CompiledPredicate& predicate = predicates_[change];
  const std::span<const uint32_t> columns = indexes_[choice->key].columns();
  double commonest = 1;
  for (uint32_t place = 0; place < columns.size(); ++place) {
    if (choice->sources[place] >= predicate.clauses().size()) {
      return std::nullopt;
    }
    const CompiledClause& clause = predicate.clauses()[choice->sources[place]];
    const CompiledLiteral& literal = predicate.literals(clause)[0];
    const uint32_t members = clause.count == 1 ? predicate.member_count(literal) : 0;
    if (members == 0 || literal.column != columns[place]) {
      return std::nullopt;
    }
    commonest *= sketches_->histogram(literal.column).commonest_share() * members;
  }
  if (!is_by_cost(paths_) || commonest < kKeyShareMax) {
    return choice;
  }
  // Some values are common: is this one of them?
  own_.resize(predicate.clauses().size());
  weigh_clauses(predicate, *sketches_, own_.data());
  double share = 1;
  for (const WeighedClause& weighed : own_) {
    for (uint32_t place = 0; place < columns.size(); ++place) {
      share *= weighed.clause == choice->sources[place] ? weighed.share : 1;
    }
  }
  return share < kKeyShareMax ? choice : std::nullopt;
}

std::optional<KeyChoice> ChangeList::list_key(uint32_t change, std::span<const WeighedClause> clauses) {
  if (paths_ == AccessPaths::kWithoutKeys || (!is_by_cost(paths_) && paths_ != AccessPaths::kKeys)) {
    return std::nullopt;
  }
  std::optional<KeyChoice> choice;
  uint32_t keys = 0;
  for (const WeighedClause& weighed : clauses) {
    const CompiledClause& clause = predicates_[change].clauses()[weighed.clause];
    const CompiledLiteral& literal = predicates_[change].literals(clause)[0];
    if (clause.count != 1 || !literal.is_equality()) {
      continue;
    }
    const uint32_t members = predicates_[change].member_count(literal);
    if (members == 1 && weighed.share < kFewRows) {
      return std::nullopt;
    }
    if (!choice.has_value() && members > 1 && members <= list_keys_left_ && weighed.share < kListShareMax) {
      choice = KeyChoice{literal.column, {weighed.clause, weighed.clause}};
      keys = members;
    }
  }
  if (choice.has_value()) {
    choice->key = index_on(choice->key);
    list_keys_left_ -= keys;
  }
  return choice;
}

uint32_t ChangeList::index_on(uint32_t column) {
  const auto found = std::find_if(indexes_.begin(), indexes_.end(), [column](const ChangeIndex& index) {
    return index.columns().size() == 1 && index.columns()[0] == column;
  });
  if (found != indexes_.end()) {
    return static_cast<uint32_t>(found - indexes_.begin());
  }
  indexes_.emplace_back(*layout_, *sketches_, Key{.columns = {column}});
  return static_cast<uint32_t>(indexes_.size()) - 1;
}

void ChangeList::keep_tests(uint32_t change, std::span<const WeighedClause> clauses) {
  Change& it = changes_[change];
  it.test_count = static_cast<uint32_t>(clauses.size()) & 0x1ff;
  it.more_tests = static_cast<uint32_t>(more_tests_.size());
  for (uint32_t test = 0; test < clauses.size(); ++test) {
    const RowTest made = row_test(predicates_[change], clauses[test].clause);
    if (test < Change::kTestsInside) {
      it.tests[test] = made;
    } else {
      more_tests_.push_back(made);
    }
  }
}

void ChangeList::mark_key_touches() {
  std::vector<bool> is_key(layout_->columns.size(), false);
  for (const ChangeIndex& index : indexes_) {
    for (const uint32_t column : index.columns()) {
      is_key[column] = true;
    }
  }
  for (Change& change : changes_) {
    const std::span<const Write> writes = modifications_.writes(change.writes());
    const bool touches =
        std::any_of(writes.begin(), writes.end(), [&](const Write& write) { return is_key[write.column]; });
    change.touches_keys = touches ? 1 : 0;
  }
}

uint32_t ChangeList::first_after(uint32_t sequence) const {
  return static_cast<uint32_t>(std::upper_bound(sequences_.begin(), sequences_.end(), sequence) - sequences_.begin());
}

uint32_t ChangeList::first_of(uint32_t update) const {
  const auto first = std::partition_point(changes_.begin(), changes_.end(),
                                          [update](const Change& change) { return change.update < update; });
  return static_cast<uint32_t>(first - changes_.begin());
}

Result<bool> ChangeList::satisfies(uint32_t change, const ChunkView& view, uint32_t row) {
  const auto found =
      std::partition_point(computed_.begin(), computed_.end(), [=](const Computed& it) { return it.change < change; });
  return computed_row_.satisfies(*found->residuals, {view.planes, view.tails, view.nulls, row});
}

bool ChangeList::matches(uint32_t change, const ChunkView& view, uint32_t row) const {
  const Change& it = changes_[change];
  for (uint32_t test = 0; test < it.test_count; ++test) {
    const RowTest& next =
        test < Change::kTestsInside ? it.tests[test] : more_tests_[it.more_tests + test - Change::kTestsInside];
    if (!passes(*layout_, next, predicates_[change], view, row)) {
      return false;
    }
  }
  return true;
}

void ChangeList::prefetch_tests(uint32_t change, const ChunkView& view, uint32_t row) const {
  const Change& it = changes_[change];
  for (uint32_t test = 0; test < std::min<uint32_t>(it.test_count, Change::kTestsInside); ++test) {
    __builtin_prefetch(tested_value(*layout_, it.tests[test], view, row));
  }
  modifications_.prefetch(it.writes());
}

void ChangeList::prefetch_writes(uint32_t change, const ChunkView& view, uint32_t row) const {
  for (const Write& write : modifications_.writes(changes_[change].writes())) {
    __builtin_prefetch(view.planes[write.column] + size_t{row} * write.width, 1);
    if (write.tail_width > 0) {
      __builtin_prefetch(view.tails[write.column] + size_t{row} * write.tail_width, 1);
    }
    if (write.is_nullable) {
      __builtin_prefetch(view.nulls[write.column] + row / 64, 1);
    }
  }
}

void ChangeList::clear() {
  changes_.clear();
  predicates_.clear();
  sequences_.clear();
  more_tests_.clear();
  computed_.clear();
  modifications_.clear();
  indexes_.clear();
  scans_.clear();
  known_shapes_.clear();
  shapes_.clear();
  shape_of_.clear();
  leaders_.clear();
  leader_of_.clear();
}

}  // namespace daedalus::engine

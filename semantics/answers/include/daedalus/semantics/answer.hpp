// How partial answers become one: by nodes over their segments and by aggregators over nodes.
#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <string_view>

#include "daedalus/base/result.hpp"
#include "daedalus/semantics/selection.hpp"
#include "daedalus/semantics/work_budget.hpp"

namespace daedalus::semantics {

constexpr uint32_t kGroupsMax = 1u << 20;
/// One answer keeps and puts out so many bytes of rows, where nobody says otherwise.
constexpr uint64_t kAnswerBytesMax = 256u << 20;

/// Rows of an answer, packed.
struct MergedRows {
  std::string rows;
  uint64_t row_count = 0;
};

/// A merge makes one of these of partial answers.
enum class AnswerForm : uint8_t {
  kPartial,  ///< Groups merged, sorted and cut to offset + limit: for the next level up.
  kFinal,    ///< Aggregates finished, hidden outputs dropped, sorted, offset and limit applied.
};

/// The rows of one answer may take so much.
struct AnswerLimit {
  uint64_t bytes_max = kAnswerBytesMax;
  std::string_view whose = "this process";  ///< Whoever sets it, for the error; outlives what is given the limit.
};

/// Error 54000: an answer exceeds the limit, which is a setting.
[[nodiscard]] Error answer_too_large(const AnswerLimit& limit);
/// Error 54000: while it comes about an answer takes more memory than the limit, which is what a setting allows one.
[[nodiscard]] Error answer_takes_too_much_memory(const AnswerLimit& limit);

/// Makes one answer of the partial answers of one query, step by step, so that whoever has other things to do, too, is
/// never held up: adding rows costs nothing, and a step does as much as its budget allows.
///
/// Bounded: AnswerLimit of rows kept and of rows put out, kGroupsMax groups (error 54000 names the bound). Parts
/// may arrive in any order; what comes out depends only on their `part` numbers, except where rows pass as they come.
class AnswerMerger {
 public:
  AnswerMerger(const Selection& selection, AnswerForm form, AnswerLimit limit = {});
  ~AnswerMerger();

  /// Says whether it keeps nothing, of this query nor of a next one that can_stream(), too.
  [[nodiscard]] bool may_restart() const;
  /// For such another query with the same limit. Precondition: may_restart().
  void restart();

  /// Takes packed partial rows of one part (say, a segment, or a partition). Rows of one part keep the order of the
  /// calls. Cost O(1): they are looked at in step(). Error 54000 too large.
  [[nodiscard]] Result<void> add(uint32_t part, MergedRows rows);
  /// Every part has been added to its end.
  void end_parts();

  /// Gets on with the work until the budget is spent or a message is full; gives the rows of that message, or none.
  /// Messages have at most `message_bytes_max` bytes of rows; one row alone may have more. After an error this object
  /// is only good for drop(). Errors: 08P01 malformed, 22003 a sum is out of range, 54000 too large.
  [[nodiscard]] Result<MergedRows> step(WorkBudget& budget, size_t message_bytes_max);
  /// Says whether step() would get on.
  [[nodiscard]] bool has_work() const;
  /// Every row has been put out.
  [[nodiscard]] bool is_finished() const;

  /// Counts all that is kept: rows, keys, groups.
  [[nodiscard]] uint64_t memory_bytes() const;
  /// Frees a piece of it; true when nothing is left. A large merge that is destroyed without takes its time.
  [[nodiscard]] bool drop(WorkBudget& budget);

 private:
  struct State;
  std::unique_ptr<State> state_;
};

/// The whole answer in one go, for those who have nothing else to do. Ends the merger's use.
[[nodiscard]] Result<MergedRows> merge_all(AnswerMerger& merger);

}  // namespace daedalus::semantics

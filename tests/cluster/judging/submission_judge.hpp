// Judges what becomes of submissions: each takes effect at most once, and whoever submitted is told nothing that is not
// so.
//
// Decides, from what was submitted and from the numbers that writers gave, what the plain table is, which updates count
// as confirmed, and whether an outcome may be told. Refuses to know how a submission travelled.
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include "daedalus/base/result.hpp"
#include "judge.hpp"
#include "plain_table.hpp"

namespace daedalus::testing {

class SubmissionJudge {
 public:
  /// `table` outlives it, and is changed by nobody else.
  explicit SubmissionJudge(PlainTable& table) : table_(table), judge_(table) {}

  /// A number for the submission of these parts, which travel as these bytes.
  [[nodiscard]] uint64_t add(std::vector<PlainPart> parts, std::string body);
  /// Returns a number for parts that may as well become these others: which, the clock says when it is compiled.
  [[nodiscard]] uint64_t add_by_clock(std::vector<PlainPart> parts, std::string body, std::vector<PlainPart> otherwise,
                                      std::string otherwise_body);
  /// Its submitter is to be given these columns of its rows back.
  void expect_returned(uint64_t submission, std::vector<uint32_t> columns);

  // ---- what writers do; they are counted from 0 ----
  /// Before it is numbered: as these bytes. Says whether it has become what it is otherwise.
  bool on_compiled(uint64_t submission, const std::string& body);
  void on_numbered(uint32_t writer, uint64_t submission, Timestamp timestamp);
  /// Nodes have an update of that number already: unless it is this one, or one of the same bytes, which nodes cannot
  /// tell from it, it must never be confirmed.
  void on_numbered_over(uint64_t submission, Timestamp timestamp);
  /// From now on `writer` is the writer, and numbers from `last` on: what others gave higher numbers never was.
  void on_take_over(uint32_t writer, Timestamp last);
  void on_confirmed(uint64_t submission, const wire::v1::WriteConfirmed& confirmed);
  /// The writer was killed and goes on with a journal that ends with `last`: what it numbered behind that never left
  /// it, and may be numbered again.
  void on_writer_killed(Timestamp last);

  // ---- what submitters are told ----
  /// Nothing came of it, and nothing will.
  void on_denied(uint64_t submission, const std::string& why);
  void on_told_confirmed(uint64_t submission, const wire::v1::WriteConfirmed& confirmed);
  /// It has taken effect on so many rows, and was refused on so many: all that a client of PostgreSQL's protocol
  /// learns.
  void on_told_counts(uint64_t submission, uint64_t applied, uint64_t refused);
  /// Takes the counts that one of its parts is told; after on_told_counts().
  void on_told_part(uint64_t submission, size_t part, uint64_t applied);

  [[nodiscard]] bool is_numbered(uint64_t submission) const { return entries_.at(submission).is_numbered; }
  /// Highest timestamp up to which everything has been confirmed.
  [[nodiscard]] Timestamp confirmed() const;
  /// Highest timestamp that has been confirmed, whatever is below it.
  [[nodiscard]] Timestamp highest_confirmed() const { return highest_confirmed_; }
  [[nodiscard]] size_t unconfirmed() const { return unconfirmed_.size(); }
  [[nodiscard]] uint32_t confirmed_count() const { return confirmed_count_; }
  /// Returns the faults that have been found so far, a sentence each.
  [[nodiscard]] const std::vector<std::string>& faults() const { return faults_; }

 private:
  struct Entry {
    std::vector<PlainPart> parts;
    std::string body;
    std::optional<std::pair<std::vector<PlainPart>, std::string>> otherwise;
    std::vector<uint32_t> returning;  ///< Columns; none: its rows are not to be given back.
    bool is_otherwise = false;        ///< The two have changed places.
    Timestamp timestamp{};            ///< 0: it has none in the history that counts.
    bool is_numbered = false;         ///< By any writer, at any time.
    bool is_confirmed = false;
    bool is_denied = false;
    bool is_numbered_over = false;
  };

  void fault(std::string text);
  void judge_returned(uint64_t submission, const wire::v1::WriteConfirmed& confirmed);
  /// Forgets what has a number behind `last`, though it is another submission's.
  void forget_after(Timestamp last);

  PlainTable& table_;
  Judge judge_;
  std::map<uint64_t, Entry> entries_;
  std::map<Timestamp, uint64_t> by_timestamp_;
  std::set<Timestamp> unconfirmed_;
  uint32_t writer_ = 0;
  Timestamp highest_confirmed_{};
  uint32_t confirmed_count_ = 0;
  std::vector<std::string> faults_;
};

}  // namespace daedalus::testing

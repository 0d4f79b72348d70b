// Queries that run beside each other, and the Syncs between them, in the order in which they are answered.
//
// Decides how many may be under way, whose answer is put off because it takes too much room before its turn, and where
// waits what is said behind a query. Refuses to know what may be looked at ahead of its turn, and how a query is asked.
#pragma once

#include <cstdint>
#include <deque>
#include <memory>
#include <string>

#include "answers.hpp"
#include "daedalus/postgres/session_options.hpp"
#include "portal.hpp"
#include "prepared_statements.hpp"

namespace daedalus::postgres {

class Pipeline {
 public:
  /// A query whose whole answer comes next, or a Sync; what has come in behind it was looked at all the same.
  struct Entry {
    std::unique_ptr<Portal> portal;  ///< Null: a Sync.
    bool is_put_off = false;         ///< It is to be asked again when its turn comes.
    uint64_t rows_sent = 0;
    PreparedStatements::Statement unnamed;  ///< The statement without a name when it was executed.
    std::string behind;                     ///< The client is told this once it has ended.
  };

  /// Both outlive this.
  Pipeline(const SessionLimits& limits, Answers& answers) : limits_(limits), answers_(answers) {}

  [[nodiscard]] bool empty() const { return entries_.empty(); }
  /// Returns whether nothing more is to be looked at before something has ended. Precondition: !empty().
  [[nodiscard]] bool is_full() const;

  /// Takes what is to run out of the portal, which is at its end then. Returns where it is now. Pointers to it are
  /// valid until its entry is dropped.
  Portal& add_query(Portal& portal, PreparedStatements::Statement unnamed);
  void add_sync() { entries_.emplace_back(); }

  /// Precondition, of both: !empty().
  [[nodiscard]] Entry& first() { return entries_.front(); }
  [[nodiscard]] const Entry& first() const { return entries_.front(); }
  /// The text that the client is told behind all that is under way. Precondition: !empty().
  [[nodiscard]] std::string& text_behind() { return entries_.back().behind; }
  /// Whose query was asked under this sequence; null: nobody's.
  [[nodiscard]] Entry* find(uint64_t sequence);
  /// The portal of the last one; null: that is a Sync, or there is none.
  [[nodiscard]] Portal* last_query() { return entries_.empty() ? nullptr : entries_.back().portal.get(); }

  /// So many bytes of rows have come to it, and wait.
  void on_rows(Entry& entry, uint64_t bytes);
  /// Rows of the first query. Precondition: it has some.
  [[nodiscard]] Answers::Rows take_rows();
  void drop_first();
  /// Drops the queries ahead of the first Sync, which stays; all where there is none.
  void drop_queries();
  /// All, at the end of the session: nobody is told.
  void clear() { entries_.clear(); }

  /// A statement has been prepared, while queries were under way if there are any.
  void on_prepared() { has_parsed_ahead_ = has_parsed_ahead_ || !entries_.empty(); }
  /// Returns whether a statement has been prepared since all queries had ended.
  [[nodiscard]] bool has_parsed_ahead() const { return has_parsed_ahead_; }

 private:
  void abort(Entry& entry);

  const SessionLimits& limits_;
  Answers& answers_;
  std::deque<Entry> entries_;
  uint64_t parameter_bytes_ = 0;
  uint64_t row_bytes_ = 0;  ///< That wait in them.
  bool has_parsed_ahead_ = false;
};

}  // namespace daedalus::postgres

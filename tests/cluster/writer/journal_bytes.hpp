// The writer's journal as bytes: what its twin has written, and what is found of it however it was damaged.
//
// Decides, as docs/journal.md says, what a torn tail is and what is damage. One file, with the frames and the header of
// that document; what is within them is the simulator's own.
#pragma once

#include <cstdint>
#include <map>
#include <string>

#include "daedalus/base/result.hpp"
#include "writer_model.hpp"

namespace daedalus::testing {

class JournalBytes {
 public:
  static constexpr const char* kName = "journal-000000000000.log";
  static constexpr uint64_t kHeaderSize = 4096;

  /// Before anything else is written.
  void begin(uint64_t first_epoch, Timestamp base);
  [[nodiscard]] bool has_begun() const { return !header_.empty(); }
  void update(Timestamp timestamp, const KeptUpdate& update);
  /// Up to `settled` all outcomes are there, and no node lacks anything.
  void outcome(const SubmissionKey& submission, const wire::v1::WriteConfirmed& confirmed, Timestamp settled);
  /// All is durable up to the record of that update.
  void forced(Timestamp through);
  /// Ends with the update `last`; whatever came later was never written.
  void end_with(Timestamp last);

  /// The whole file, with the zeros that are written ahead.
  [[nodiscard]] std::string file() const;
  /// Returns where its records end.
  [[nodiscard]] uint64_t end() const { return kHeaderSize + records_.size(); }
  /// Returns where the record of the last update begins; where there is none, the first record.
  [[nodiscard]] uint64_t last_update() const;
  /// Returns where the last record begins; where there is none, records would.
  [[nodiscard]] uint64_t last_record() const { return kHeaderSize + last_; }

 private:
  void append(uint64_t kind, const std::string& payload);

  std::string header_;
  std::string records_;
  /// The positions where their records begin and end.
  std::map<Timestamp, std::pair<uint64_t, uint64_t>> updates_;
  uint64_t forced_ = 0;
  uint64_t last_ = 0;  ///< The last record's position.
};

/// Returns what a writer finds that starts with this file. Errors (XX001) name file, offset and what to do.
[[nodiscard]] Result<RecoveredJournal> read_journal(const std::string& file);

}  // namespace daedalus::testing

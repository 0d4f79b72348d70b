// Writes checkpoints: round after round, each a complete one once it is committed.
//
// A round takes the chunks of all segments, in whatever order they come, into one new data file a segment. Chunks that
// no update has touched since their block was written keep it. A round becomes the current checkpoint by its manifest,
// and only when its owner says so; then everything older goes. Decides what is written anew, so that files take about
// twice what the tables take at most. Whatever fails ends the round, and the checkpoint before stays. Refuses to know
// the log. One thread, not a scan thread: it packs, writes and waits for the disk.
#pragma once

#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "daedalus/durability/checkpoint_files.hpp"
#include "daedalus/durability/chunk_copier.hpp"

namespace daedalus::durability {

struct CheckpointStatus {
  uint64_t number = 0;  ///< The number of the current checkpoint; 0: there is none.
  Timestamp lowest{};   ///< Its stamps.
  Timestamp highest{};
  uint64_t bytes = 0;           ///< Counts the bytes of the data files it needs.
  uint64_t chunks_written = 0;  ///< In its round,
  uint64_t chunks_kept = 0;     ///< and those whose blocks are older.
  uint64_t rounds = 0;          ///< Committed since the start,
  uint64_t rounds_given_up = 0;
  std::optional<Error> last_error;  ///< Why the last round was given up, or what could not be removed.
};

class CheckpointWriter {
 public:
  enum class State : uint8_t {
    kIdle,
    kWriting,   ///< Chunks come.
    kPrepared,  ///< All is on disk but the manifest: commit() or give_up().
  };

  /// All outlive this object; copiers by segment. room_made: called when a chunk that found no room may be shown
  /// again, to wake scan threads.
  CheckpointWriter(Disk& disk, ChunkBuffers& buffers, std::vector<ChunkCopier*> copiers,
                   std::function<void()> room_made);

  /// Finds the current checkpoint and removes what rounds left that came to no end. restored: the number of the
  /// checkpoint that the segments were loaded from, if any: only then may chunks keep their blocks.
  [[nodiscard]] Result<void> open(std::optional<uint64_t> restored);

  /// Begins a round. The caller then begins a checkpoint of each segment, again where the segment says that one is
  /// under way: the cycle in which the last round ended is about to end. Precondition: idle.
  void begin();

  /// Does what there is to do, if anything: packs and writes one chunk, or ends the round. False: nothing was.
  bool step();

  [[nodiscard]] State state() const { return state_; }
  /// Names, for a prepared round, what has to be durable elsewhere before commit().
  [[nodiscard]] Timestamp highest() const { return next_.highest; }

  /// Makes the prepared round the current checkpoint: everything it needs is read back, its manifest is written, and
  /// what it does not need is removed. `opaque` goes into the manifest. Precondition: prepared, and updates and
  /// outcomes are durable up to highest(). Error: the round is given up. Cost: reads the whole checkpoint.
  [[nodiscard]] Result<void> commit(std::string opaque);

  /// Gives a prepared round up.
  void give_up(const Error& why);

  [[nodiscard]] const CheckpointStatus& status() const { return status_; }

 private:
  struct Output {
    std::unique_ptr<File> file;
    uint64_t end = 0;
    bool is_done = false;
  };

  [[nodiscard]] std::vector<std::optional<Timestamp>> kept(uint32_t segment) const;
  [[nodiscard]] Result<BlockPlace> append(BlockHeader header, std::string_view content);
  [[nodiscard]] Result<void> open_output(uint32_t segment);
  void write(CopiedChunk& chunk);
  void end_segment(uint32_t segment);
  [[nodiscard]] Result<void> write_end(uint32_t segment);
  void end_round();
  [[nodiscard]] Result<void> sync_round();
  [[nodiscard]] Result<void> publish();
  void fail(const Error& error);
  void finish_failed();
  /// Removes the folder's files that are not the current checkpoint's.
  [[nodiscard]] Result<void> clean();

  Disk* disk_;
  ChunkBuffers* buffers_;
  std::vector<ChunkCopier*> copiers_;
  std::function<void()> room_made_;

  State state_ = State::kIdle;
  bool has_failed_ = false;          ///< The round will be given up once all chunks have been shown.
  std::optional<Manifest> current_;  ///< The newest on disk.
  bool may_keep_ = false;            ///< Its blocks are of the rows that the segments hold.
  uint64_t last_number_ = 0;         ///< That any file has had.
  Manifest next_;
  std::vector<Output> outputs_;  ///< By segment, of this round.
  std::string packed_;           ///< Room for one block.
  uint64_t chunks_written_ = 0;
  uint64_t chunks_kept_ = 0;
  CheckpointStatus status_;
};

}  // namespace daedalus::durability

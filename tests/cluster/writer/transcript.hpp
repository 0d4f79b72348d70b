// Writes what went into the logical writer and what came out, as lines of text: a conversation that another
// implementation can replay.
#pragma once

#include <string>
#include <vector>

#include "writer_model.hpp"

namespace daedalus::testing {

/// The first line is `submissions_known_max N`, the writer's bound. What a journal had kept for it follows in lines
/// `| kind …`. Each event is `< time kind …`, followed by its
/// effects, `> kind …`, and `= next deadline`. Messages are Protocol Buffers in hexadecimal.
class Transcript {
 public:
  /// One that is not kept costs nothing.
  explicit Transcript(const WriterOptions& options, bool is_kept = true, const RecoveredJournal& journal = {});

  void up(Instant now, rpc::PeerId peer, bool takes_marks);
  void down(Instant now, rpc::PeerId peer);
  void result(Instant now, rpc::PeerId peer, const wire::v1::Result& result);
  void probed(Instant now, bool answers);
  void deadline(Instant now);
  void journaled(Instant now, Timestamp through);
  void submit(Instant now, const Submission& submission, const std::string& body,
              const std::vector<wire::v1::Route>& routes, uint64_t map_version);
  void refused(const SubmitRefusal& refusal);
  void effects(const rpc::Outbox& out, const WriterEffects& effects, Instant next_deadline);

  [[nodiscard]] const std::string& text() const { return text_; }

 private:
  void recovered(const RecoveredJournal& journal);

  bool is_kept_;
  std::string text_;
};

}  // namespace daedalus::testing

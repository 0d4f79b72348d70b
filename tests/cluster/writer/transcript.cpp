#include "transcript.hpp"

#include <fmt/format.h>

namespace daedalus::testing {

namespace {

std::string hex(const std::string& bytes) {
  static constexpr char kDigits[] = "0123456789abcdef";
  std::string text;
  text.reserve(2 * bytes.size());
  for (const char byte : bytes) {
    text.push_back(kDigits[static_cast<uint8_t>(byte) >> 4]);
    text.push_back(kDigits[static_cast<uint8_t>(byte) & 15]);
  }
  return text.empty() ? "-" : text;
}

std::string describe(const Error& error) {
  return fmt::format("error {} {} {}", static_cast<int>(error.category), error.sqlstate, error.message);
}

}  // namespace

Transcript::Transcript(const WriterOptions& options, bool is_kept, const RecoveredJournal& journal)
    : is_kept_(is_kept), text_(fmt::format("submissions_known_max {}\n", options.submissions_known_max)) {
  if (journal.is_used) {
    recovered(journal);
  }
}

void Transcript::recovered(const RecoveredJournal& journal) {
  text_ += fmt::format("| journal {} {} {} {}\n", journal.first_epoch, raw(journal.base), raw(journal.last_numbered),
                       raw(journal.forgotten_through));
  for (const auto& [timestamp, kept] : journal.updates) {
    text_ +=
        fmt::format("| update {} {} {} {} {} {} {}", raw(timestamp), raw(kept.confirmed_through), kept.is_confirmed,
                    hex(kept.submission.first), kept.submission.second, kept.map_version, hex(kept.body));
    for (const auto& route : kept.routes) {
      fmt::format_to(std::back_inserter(text_), " {}", hex(route.SerializeAsString()));
    }
    text_ += "\n";
  }
  for (const KnownSubmission& each : journal.submissions) {
    text_ += fmt::format("| submission {} {} {} {}\n", hex(each.key.first), each.key.second, raw(each.timestamp),
                         each.confirmed ? hex(each.confirmed->SerializeAsString()) : "-");
  }
}

void Transcript::up(Instant now, rpc::PeerId peer, bool takes_marks) {
  if (!is_kept_) {
    return;
  }
  text_ += fmt::format("< {} up {} {}\n", now.ns, raw(peer), takes_marks);
}

void Transcript::down(Instant now, rpc::PeerId peer) {
  if (!is_kept_) {
    return;
  }
  text_ += fmt::format("< {} down {}\n", now.ns, raw(peer));
}

void Transcript::result(Instant now, rpc::PeerId peer, const wire::v1::Result& result) {
  if (!is_kept_) {
    return;
  }
  text_ += fmt::format("< {} result {} {}\n", now.ns, raw(peer), hex(result.SerializeAsString()));
}

void Transcript::probed(Instant now, bool answers) {
  if (!is_kept_) {
    return;
  }
  text_ += fmt::format("< {} probed {}\n", now.ns, answers);
}

void Transcript::deadline(Instant now) {
  if (!is_kept_) {
    return;
  }
  text_ += fmt::format("< {} deadline\n", now.ns);
}

void Transcript::journaled(Instant now, Timestamp through) {
  if (!is_kept_) {
    return;
  }
  text_ += fmt::format("< {} journaled {}\n", now.ns, raw(through));
}

void Transcript::submit(Instant now, const Submission& submission, const std::string& body,
                        const std::vector<wire::v1::Route>& routes, uint64_t map_version) {
  if (!is_kept_) {
    return;
  }
  text_ += fmt::format("< {} submit {} {} {} {} {} {} {}", now.ns, hex(submission.key.first), submission.key.second,
                       submission.epoch, submission.numbered_after, submission.is_repeated, map_version, hex(body));
  for (const auto& route : routes) {
    fmt::format_to(std::back_inserter(text_), " {}", hex(route.SerializeAsString()));
  }
  text_ += "\n";
}

void Transcript::refused(const SubmitRefusal& refusal) {
  if (!is_kept_) {
    return;
  }
  text_ += fmt::format("> refused {}{}\n", refusal.is_stale ? "stale " : "", describe(refusal.error));
}

void Transcript::effects(const rpc::Outbox& out, const WriterEffects& effects, Instant next_deadline) {
  if (!is_kept_) {
    return;
  }
  for (const auto& [peer, operation] : out.operations) {
    text_ += fmt::format("> operation {} {}\n", raw(peer), hex(operation.SerializeAsString()));
  }
  for (const SubmissionOutcome& outcome : effects.outcomes) {
    text_ += fmt::format(
        "> outcome {} {} {}\n", hex(outcome.submission.first), outcome.submission.second,
        outcome.confirmed ? "confirmed " + hex(outcome.confirmed->SerializeAsString()) : describe(*outcome.error));
  }
  if (effects.probe) {
    text_ += "> probe " + *effects.probe + "\n";
  }
  text_ += fmt::format("= {}\n", next_deadline.ns);
}

}  // namespace daedalus::testing

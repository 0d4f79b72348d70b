// Which epoch is in force on this node, and which ones are on their way to the disk.
//
// Decides whether an epoch may be raised. An epoch counts only once it is synced: the owner has each that was taken
// written, in that order, and comes back with on_persisted() or on_failed(). Refuses to know files.
#pragma once

#include <cstdint>
#include <deque>

#include "daedalus/base/units.hpp"
#include "daedalus/node/requester.hpp"

namespace daedalus::node {

class EpochStore {
 public:
  static constexpr size_t kRequestsMax = 16;
  static constexpr size_t kTextSizeMax = 256;  ///< Bytes of a holder's name or endpoint.
  /// How far above the highest known epoch the next may be. Writers ask for the next one; a leap to the last number
  /// there is would leave nothing for any later writer, and by such steps nobody gets there.
  static constexpr uint64_t kStepMax = 1u << 20;
  /// Beyond this no epoch has come about by steps.
  static constexpr uint64_t kEpochMax = uint64_t{1} << 62;

  enum class Verdict : uint8_t {
    kTaken,      ///< Will be granted once it is synced.
    kNotHigher,  ///< An equal or higher epoch is known: highest().
    kTooFar,     ///< More than kStepMax above highest().
    kTooMany,    ///< kRequestsMax are on their way.
  };
  /// A holder that does not say from where on it can send leaves what another said before.
  [[nodiscard]] Verdict request(Requester from, EpochRecord record);

  struct Granted {
    Requester to;
    EpochRecord record;
  };
  /// The oldest request has been synced and is in force. Precondition (CHECKed): `epoch` is that request's.
  [[nodiscard]] Granted on_persisted(Epoch epoch);

  /// The oldest request could not be synced: it may be asked for again. Precondition (CHECKed): as above.
  [[nodiscard]] Requester on_failed(Epoch epoch);

  [[nodiscard]] const EpochRecord& in_force() const { return in_force_; }
  /// The highest known: in force or on its way.
  [[nodiscard]] const EpochRecord& highest() const;
  /// An epoch from before the start.
  void restore(const EpochRecord& record) { in_force_ = record; }

 private:
  EpochRecord in_force_;
  std::deque<Granted> requests_;  ///< Ascending.
};

}  // namespace daedalus::node

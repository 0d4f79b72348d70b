// Portals wait for answers, and rows of theirs that have come wait to be sent.
//
// Decides what that takes, all portals together, and what one has to be given up for. Refuses to know where portals are
// kept, and how rows go out.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

#include "daedalus/base/result.hpp"
#include "portal.hpp"
#include "requests.hpp"

namespace daedalus::postgres {

class Answers {
 public:
  /// Rows in a row, packed.
  struct Rows {
    std::string bytes;
    uint32_t count = 0;
  };

  /// The requests outlive this.
  explicit Answers(Requests& requests) : requests_(requests) {}

  // ---- of the core ----
  /// To its cursor, where it is one.
  void add(Portal& portal, Rows rows);
  /// A cursor has been made with all of its rows.
  void add_cursor(const Portal& portal) { bytes_ += portal.cursor->rows.bytes(); }
  /// The first that wait, as they came. Precondition: there are some.
  [[nodiscard]] Rows take_all(Portal& portal);
  /// Takes as take_all(), but at most so many. Errors: 08P01 they are no rows.
  [[nodiscard]] Result<Rows> take(Portal& portal, uint64_t count_max);
  /// Goes on with the portal's FETCH: what it wants of the cursor's rows waits in the portal then. Returns whether it
  /// has come to its end. Errors: those of FetchRun::step().
  [[nodiscard]] Result<bool> fetch(Portal& portal, Portal& cursor);

  // ---- of the catalogue ----
  void add_catalogue(Portal& portal, catalogue::Answer answer);
  /// The first messages that wait, of at most `count` rows; makes it how many they are. Valid until abort().
  [[nodiscard]] std::string_view take_catalogue(Portal& portal, uint64_t& count);

  /// Nobody wants the portal's answer any longer: what is under way is stopped, and what has come is forgotten.
  void abort(Portal& portal);

  /// The bytes of all that waits in portals, or is kept by cursors.
  [[nodiscard]] uint64_t bytes() const { return bytes_; }
  /// The session is over: what portals still have is not counted.
  void clear() { bytes_ = 0; }

 private:
  Requests& requests_;
  uint64_t bytes_ = 0;
};

}  // namespace daedalus::postgres

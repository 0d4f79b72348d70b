// Updates of one row each, encoded before the clock starts: what is left to do for one is to put its numbers in. They
// are of the table of experiments/writes: id int, balance bigint, owner char(64), none of them NULL.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

namespace daedalus::node::bench {

/// Places in the order of updates, as one writer keeps them.
struct UpdateNumbers {
  uint64_t sequence;   ///< The operation's number on its connection; below 2^35, as all of these are.
  uint64_t epoch;      ///< The writer's epoch.
  uint64_t timestamp;  ///< The update's place in the order.
  uint64_t confirmed;  ///< Everything up to this timestamp has been confirmed.
};

class NumberedUpdates {
 public:
  /// One update for each of the keys 0 to `rows` - 1, of which there is at least one.
  explicit NumberedUpdates(uint32_t rows);

  /// Adds the update that follows from its timestamp to the payload of a frame of operations; updates that follow each
  /// other are of keys far apart. Cost: one copy.
  void append(const UpdateNumbers& numbers, std::string& payload) const;

 private:
  struct Body {
    std::string bytes;
    uint64_t digest;
  };

  std::vector<Body> bodies_;
};

/// An update that inserts the rows with the keys `first` to `last`.
[[nodiscard]] std::string insert_body(uint32_t first, uint32_t last);

/// The operation of one update, to be put into the payload of a frame of operations.
void append_update(const UpdateNumbers& numbers, const std::string& body, uint64_t digest, std::string& payload);

}  // namespace daedalus::node::bench

// The savepoints of a block: what each goes back to.
//
// Decides which one a name means (the latest), and how many there may be. Refuses to know what is kept by them.
#pragma once

#include <cstddef>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "daedalus/base/result.hpp"
#include "settings.hpp"
#include "write_group.hpp"

namespace daedalus::postgres {

class Savepoints {
 public:
  /// The settings when a savepoint was made.
  struct Saved {
    Settings::Values values;
    std::map<std::string, std::optional<std::string>> locals;  ///< SET LOCAL had replaced these.
    uint64_t effects = 0;                                      ///< Writes of the block that had taken effect.

    friend bool operator==(const Saved&, const Saved&) = default;
  };
  struct Point {
    std::string name;
    std::shared_ptr<const Saved> saved;  ///< Shared with the one before where nothing was set in between.
    WriteGroup::Mark mark;
    size_t bytes = 0;
  };

  /// Most bytes of all savepoints of a block: some thirty thousand, if settings change seldom.
  static constexpr size_t kBytesMax = 4u << 20;

  /// Errors: 54000.
  [[nodiscard]] Result<void> add(std::string name, Saved saved, WriteGroup::Mark mark);
  /// The latest of this name.
  [[nodiscard]] std::optional<size_t> find(std::string_view name) const;
  [[nodiscard]] const Point& at(size_t index) const { return points_[index]; }
  [[nodiscard]] size_t count() const { return points_.size(); }
  [[nodiscard]] size_t bytes() const { return bytes_; }
  /// Only the first so many stay.
  void keep(size_t count);

 private:
  std::vector<Point> points_;
  size_t bytes_ = 0;
};

}  // namespace daedalus::postgres

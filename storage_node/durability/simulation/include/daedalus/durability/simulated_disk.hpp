// A disk in memory that does what disks do to those who trust them: for tests and the simulator.
//
// What is written is seen at once and lost in a crash unless it was synced; of what was not, a crash keeps any part, in
// sectors. Names behave alike: made, replaced and removed in order, kept up to some point. Refuses to know time: who
// simulates a slow disk waits before calling.
#pragma once

#include <cstdint>
#include <functional>
#include <map>
#include <memory>
#include <optional>
#include <set>
#include <string>
#include <vector>

#include "daedalus/durability/disk.hpp"

namespace daedalus::durability {

/// Holds what changes a disk.
enum class DiskOperation : uint8_t { kCreate, kWrite, kSync, kRename, kRemove, kSyncFolder };
enum class Moment : uint8_t { kBefore, kAfter };

class SimulatedDisk final : public Disk {
 public:
  /// Uniform in [0, bound).
  using Below = std::function<uint64_t(uint64_t bound)>;
  /// Is told before and after each change, with the file (the new name of one that is renamed) or the folder; whether
  /// power is lost at that moment.
  using Observer = std::function<bool(DiskOperation operation, Moment moment, const std::string& name)>;

  explicit SimulatedDisk(Below below);
  ~SimulatedDisk() override;

  [[nodiscard]] Result<std::unique_ptr<File>> create(const std::string& name) override;
  [[nodiscard]] Result<std::unique_ptr<File>> open(const std::string& name) override;
  [[nodiscard]] Result<bool> exists(const std::string& name) override;
  [[nodiscard]] Result<std::vector<std::string>> list(const std::string& folder) override;
  [[nodiscard]] Result<void> make_folder(const std::string& folder) override;
  [[nodiscard]] Result<void> rename(const std::string& from, const std::string& to) override;
  [[nodiscard]] Result<void> remove(const std::string& name) override;
  [[nodiscard]] Result<void> sync_folder(const std::string& folder) override;
  [[nodiscard]] std::string path_of(const std::string& name) const override { return "simulated/" + name; }

  // ---- faults ----
  /// Power is lost: files that are open are closed for good (whatever is called on them fails), and of what was not
  /// synced any part is left.
  void crash();
  /// Power is lost when so many more changes (writes, syncs, names) have been made; each from then on fails.
  void crash_after(uint64_t changes);
  void set_observer(Observer observer) { observer_ = std::move(observer); }
  [[nodiscard]] bool is_down() const { return is_down_; }
  /// The disk comes back after a crash.
  void restart() { is_down_ = false; }
  /// No room for more than so many bytes in all files together; nothing: there is room for all.
  void set_room(std::optional<uint64_t> bytes) { room_ = bytes; }
  /// The next so many syncs fail, and what they were to sync is lost as in a crash, silently.
  void fail_syncs(uint32_t count) { failing_syncs_ = count; }
  /// One bit of the file turns. Precondition: the file has that byte.
  void flip(const std::string& name, uint64_t bit);
  /// The next write to a file goes to another place in it.
  void misdirect_next_write() { misdirects_next_ = true; }

  // ---- questions ----
  [[nodiscard]] uint64_t changes() const { return changes_; }
  [[nodiscard]] uint64_t bytes() const;
  /// Writes of which a loss of power, or a sync that failed, left some sectors and took others.
  [[nodiscard]] uint64_t torn_writes() const { return torn_writes_; }
  [[nodiscard]] std::vector<std::string> names() const;
  [[nodiscard]] std::string content(const std::string& name) const;
  /// A copy as it is now, everything taken for synced: an old directory to be put back.
  [[nodiscard]] std::map<std::string, std::string> image() const;
  void put_back(const std::map<std::string, std::string>& image);

 private:
  struct Content;
  class OpenFile;
  struct NameChange {
    std::string folder;
    std::string name;
    std::shared_ptr<Content> content;  ///< Null: removed.
  };

  [[nodiscard]] Result<void> change();
  /// Passes one of the two moments of a change.
  [[nodiscard]] Result<void> pass(DiskOperation operation, Moment moment, const std::string& name);
  void name(const std::string& name, std::shared_ptr<Content> content);
  void lose_unsynced(Content& content);

  Below below_;
  Observer observer_;
  std::map<std::string, std::shared_ptr<Content>> names_;
  std::map<std::string, std::shared_ptr<Content>> synced_names_;
  std::vector<NameChange> unsynced_;
  std::set<std::string> folders_;
  uint64_t life_ = 0;
  uint64_t changes_ = 0;
  uint64_t torn_writes_ = 0;
  std::optional<uint64_t> crash_at_;
  std::optional<uint64_t> room_;
  uint32_t failing_syncs_ = 0;
  bool misdirects_next_ = false;
  bool is_down_ = false;
};

}  // namespace daedalus::durability

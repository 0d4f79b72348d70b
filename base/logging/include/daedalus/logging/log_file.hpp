// A file that a process appends its log to, kept within bounds by the process itself.
#pragma once

#include <cstdint>

namespace daedalus {

/// Bounds the file behind a descriptor, if it is a regular one that was opened to append: a terminal, a pipe and the
/// journal have bounds of their own, and what somebody else writes at places of his own is not ours to move.
///
/// Before the file would exceed `bytes_max` it becomes NAME.1, in place of an older one, and an empty file NAME takes
/// its place behind the descriptor; so there are at most twice as many bytes. Where that is impossible (the folder is
/// gone, or not ours), the file is emptied. Not thread-safe.
class LogFile {
 public:
  LogFile(int descriptor, uint64_t bytes_max);

  /// Call before writing `bytes`. Cost: one system call. Never fails: a process outlives its log.
  void make_room(uint64_t bytes) const;

 private:
  [[nodiscard]] bool rotate() const;

  int descriptor_;
  uint64_t bytes_max_;
  bool is_ours_;
};

}  // namespace daedalus

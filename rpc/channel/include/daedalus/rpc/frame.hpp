// Frames: where one message batch ends and the next begins, and whether its bytes are whole (docs/wire.md, "Frames").
// Knows nothing of what a payload means.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

namespace daedalus::rpc {

enum class FrameType : uint8_t {
  kHello = 1,
  kKeepAlive = 2,
  kOperations = 3,
  kResults = 4,
  kGoodbye = 5,
};

[[nodiscard]] std::string_view to_string(FrameType type);

constexpr uint8_t kProtocolVersion = 5;
/// Length field, version, type, flags.
constexpr uint32_t kFrameHeaderSize = 8;
constexpr uint32_t kChecksumSize = 4;
constexpr uint32_t kFrameOverhead = kFrameHeaderSize + kChecksumSize;
/// Largest frame of this protocol, bytes, its length field included.
constexpr uint32_t kFrameSizeMax = 16u << 20;
/// The least that a peer may announce as its maximum, bytes: handshake, refusals and goodbyes always fit.
constexpr uint32_t kFrameSizeMaxMin = 4u << 10;

/// The faults that a frame may have.
enum class FrameFault : uint8_t {
  kTooShort = 1,  ///< The length field leaves no room for header and checksum.
  kTooLong,       ///< Beyond the receiver's maximum.
  kVersion,
  kType,
  kFlags,
  kChecksum,
};

[[nodiscard]] std::string_view to_string(FrameFault fault);

struct FrameError {
  FrameFault fault;
  std::string message;  ///< One sentence with the values found and expected.
};

/// One whole, intact frame. `payload` is borrowed from the Framer.
struct Frame {
  FrameType type;
  std::string_view payload;
};

/// Finds the frames in a byte stream that arrives in any pieces.
///
/// After feed(), call next() until it returns nothing; then either more bytes are needed or error() is set, which is
/// final. Version, type, flags and length are refused as soon as they have arrived, before the payload is kept.
/// Memory: at most one frame and one piece; a frame's memory is claimed as its bytes arrive, not on its length's word.
class Framer {
 public:
  explicit Framer(uint32_t frame_size_max = kFrameSizeMax);

  /// Copies `bytes`; ends the life of every payload handed out before. Ignored after an error.
  void feed(std::string_view bytes);
  /// The next whole frame; its payload lives until the next feed().
  [[nodiscard]] std::optional<Frame> next();
  [[nodiscard]] const std::optional<FrameError>& error() const { return error_; }

 private:
  bool check_header(std::string_view header);
  void fail(FrameFault fault, std::string message);

  uint32_t frame_size_max_;
  std::string buffer_;
  size_t begin_ = 0;  ///< First byte of buffer_ that belongs to no frame handed out yet.
  std::optional<FrameError> error_;
};

/// Writes one frame behind what `out` already holds: begin, append payload bytes to `out`, finish.
class FrameWriter {
 public:
  FrameWriter(std::string& out, FrameType type);
  /// Goes on with the frame that was begun at `begin`.
  FrameWriter(std::string& out, size_t begin);
  /// Patches the length in and appends the checksum. Precondition: the whole frame has at most 2^32 - 1 bytes.
  void finish();
  /// Finishes a frame whose payload ends with `rest`, which goes out behind `out` without being copied to it, and
  /// before `checksum`, to which the checksum is appended.
  void finish_behind(std::string_view rest, std::string& checksum);

 private:
  std::string& out_;
  size_t begin_;
};

/// One frame in one go.
[[nodiscard]] std::string encode_frame(FrameType type, std::string_view payload);

}  // namespace daedalus::rpc

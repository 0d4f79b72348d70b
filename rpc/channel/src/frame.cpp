#include "daedalus/rpc/frame.hpp"

#include <fmt/format.h>

#include <array>
#include <utility>

#include "daedalus/base/check.hpp"
#include "daedalus/base/crc32c.hpp"

namespace daedalus::rpc {

namespace {

constexpr uint32_t kLengthSize = 4;
/// The buffer keeps at most this much memory while it is empty.
constexpr size_t kIdleCapacityMax = 1u << 20;

uint32_t load_u32(const char* from) {
  const auto byte = [&](int i) { return static_cast<uint32_t>(static_cast<uint8_t>(from[i])); };
  return byte(0) | byte(1) << 8 | byte(2) << 16 | byte(3) << 24;
}

std::array<char, 4> store_u32(uint32_t value) {
  return {static_cast<char>(value), static_cast<char>(value >> 8), static_cast<char>(value >> 16),
          static_cast<char>(value >> 24)};
}

}  // namespace

std::string_view to_string(FrameType type) {
  switch (type) {
    case FrameType::kHello:
      return "hello";
    case FrameType::kKeepAlive:
      return "keep-alive";
    case FrameType::kOperations:
      return "operations";
    case FrameType::kResults:
      return "results";
    case FrameType::kGoodbye:
      return "goodbye";
  }
  return "unknown";
}

std::string_view to_string(FrameFault fault) {
  switch (fault) {
    case FrameFault::kTooShort:
      return "too_short";
    case FrameFault::kTooLong:
      return "too_long";
    case FrameFault::kVersion:
      return "version";
    case FrameFault::kType:
      return "type";
    case FrameFault::kFlags:
      return "flags";
    case FrameFault::kChecksum:
      return "checksum";
  }
  return "unknown";
}

Framer::Framer(uint32_t frame_size_max) : frame_size_max_(frame_size_max) { CHECK(frame_size_max >= kFrameOverhead); }

void Framer::feed(std::string_view bytes) {
  if (error_) {
    return;
  }
  if (begin_ > 0) {
    buffer_.erase(0, begin_);
    begin_ = 0;
    if (buffer_.empty() && buffer_.capacity() > kIdleCapacityMax) {
      buffer_.shrink_to_fit();
    }
  }
  buffer_.append(bytes);
}

std::optional<Frame> Framer::next() {
  const std::string_view rest = std::string_view(buffer_).substr(begin_);
  if (error_ || !check_header(rest.substr(0, kFrameHeaderSize)) || rest.size() < kFrameHeaderSize) {
    return std::nullopt;
  }
  const size_t size = size_t{load_u32(rest.data())} + kLengthSize;
  if (rest.size() < size) {
    return std::nullopt;
  }
  const std::string_view covered = rest.substr(0, size - kChecksumSize);
  const uint32_t stated = load_u32(rest.data() + covered.size());
  const uint32_t computed = crc32c(covered);
  if (stated != computed) {
    fail(FrameFault::kChecksum, fmt::format("frame states checksum {:08x}, its bytes have {:08x}", stated, computed));
    return std::nullopt;
  }
  begin_ += size;
  return Frame{static_cast<FrameType>(rest[5]), covered.substr(kFrameHeaderSize)};
}

/// Judges as much of the header as is there.
bool Framer::check_header(std::string_view header) {
  if (header.size() >= kLengthSize) {
    const uint32_t length = load_u32(header.data());
    if (length < kFrameOverhead - kLengthSize) {
      fail(FrameFault::kTooShort,
           fmt::format("frame length {} is below the minimum of {}", length, kFrameOverhead - kLengthSize));
      return false;
    }
    if (length > frame_size_max_ - kLengthSize) {
      fail(FrameFault::kTooLong,
           fmt::format("frame length {} is beyond the maximum of {}", length, frame_size_max_ - kLengthSize));
      return false;
    }
  }
  if (header.size() > 4 && static_cast<uint8_t>(header[4]) != kProtocolVersion) {
    fail(FrameFault::kVersion, fmt::format("frame has protocol version {}, this side speaks {}",
                                           static_cast<uint8_t>(header[4]), kProtocolVersion));
    return false;
  }
  if (header.size() > 5) {
    const auto type = static_cast<uint8_t>(header[5]);
    if (type < static_cast<uint8_t>(FrameType::kHello) || type > static_cast<uint8_t>(FrameType::kGoodbye)) {
      fail(FrameFault::kType, fmt::format("frame has unknown type {}", type));
      return false;
    }
  }
  for (size_t i = 6; i < header.size(); ++i) {
    if (header[i] != 0) {
      fail(FrameFault::kFlags, fmt::format("frame has flag byte {:#04x} where 0 is required",
                                           static_cast<unsigned>(static_cast<uint8_t>(header[i]))));
      return false;
    }
  }
  return true;
}

void Framer::fail(FrameFault fault, std::string message) {
  error_ = FrameError{fault, std::move(message)};
  buffer_ = {};
  begin_ = 0;
}

FrameWriter::FrameWriter(std::string& out, FrameType type) : out_(out), begin_(out.size()) {
  const std::array<char, kFrameHeaderSize> header = {0, 0, 0, 0, kProtocolVersion, static_cast<char>(type), 0, 0};
  out_.append(header.data(), header.size());
}

FrameWriter::FrameWriter(std::string& out, size_t begin) : out_(out), begin_(begin) {}

void FrameWriter::finish() { finish_behind({}, out_); }

void FrameWriter::finish_behind(std::string_view rest, std::string& checksum) {
  const size_t length = out_.size() - begin_ - kLengthSize + rest.size() + kChecksumSize;
  CHECK(length <= UINT32_MAX);
  const auto length_bytes = store_u32(static_cast<uint32_t>(length));
  out_.replace(begin_, length_bytes.size(), length_bytes.data(), length_bytes.size());
  const auto sum = store_u32(crc32c(rest, crc32c(std::string_view(out_).substr(begin_))));
  checksum.append(sum.data(), sum.size());
}

std::string encode_frame(FrameType type, std::string_view payload) {
  std::string out;
  out.reserve(payload.size() + kFrameOverhead);
  FrameWriter writer(out, type);
  out.append(payload);
  writer.finish();
  return out;
}

}  // namespace daedalus::rpc

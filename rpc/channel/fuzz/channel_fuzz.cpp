// Whatever bytes arrive, in whatever pieces: nothing crashes, the same frames are found, and a channel ends at most
// once.
#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "channel_pair.hpp"
#include "daedalus/base/check.hpp"

namespace daedalus::rpc {
namespace {

struct Outcome {
  std::vector<std::string> frames;
  bool failed = false;
  FrameFault fault{};
  friend bool operator==(const Outcome&, const Outcome&) = default;
};

Outcome frame_in_pieces(std::string_view bytes, size_t piece) {
  Framer framer(1 << 16);
  Outcome outcome;
  for (size_t begin = 0; begin < bytes.size(); begin += piece) {
    framer.feed(bytes.substr(begin, piece));
    while (const auto frame = framer.next()) {
      outcome.frames.emplace_back(frame->payload);
    }
  }
  if (framer.error()) {
    outcome.failed = true;
    outcome.fault = framer.error()->fault;
  }
  return outcome;
}

void drive_channel(std::string_view bytes, size_t piece, bool with_hello) {
  Channel channel(hello("fuzzed"), {}, kStart);
  if (with_hello) {
    channel.on_bytes(hello_frame(hello("peer")), kStart);
  }
  size_t ends = 0;
  for (size_t begin = 0; begin < bytes.size(); begin += piece) {
    channel.on_bytes(bytes.substr(begin, piece), kStart);
    for (const ChannelEvent& event : channel.take_events()) {
      CHECK(ends == 0);
      ends += std::holds_alternative<ChannelClosed>(event) ? 1 : 0;
      if (const auto* operation = std::get_if<wire::v1::Operation>(&event)) {
        channel.send(*operation);
      }
    }
  }
  CHECK((ends == 1) == (channel.state() == Channel::State::kClosed));
  const std::string output = channel.take_output(kStart);
  const Outcome own = frame_in_pieces(output, output.size());
  CHECK(!own.failed);
}

/// Wraps pieces of the input in frames with right checksums, so that payload parsing is reached.
std::string as_frames(std::string_view bytes) {
  std::string stream;
  while (bytes.size() >= 2) {
    const auto type = static_cast<FrameType>(1 + static_cast<uint8_t>(bytes[0]) % 5);
    const std::string_view payload = bytes.substr(2, static_cast<uint8_t>(bytes[1]));
    stream += encode_frame(type, payload);
    bytes.remove_prefix(2 + payload.size());
  }
  return stream;
}

}  // namespace
}  // namespace daedalus::rpc

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  using namespace daedalus::rpc;
  if (size < 2) {
    return 0;
  }
  const bool wrap = (data[0] & 1) != 0;
  const bool with_hello = (data[0] & 2) != 0;
  const size_t piece = 1 + data[1];
  const std::string_view rest(reinterpret_cast<const char*>(data) + 2, size - 2);
  const std::string stream = wrap ? as_frames(rest) : std::string(rest);
  CHECK(frame_in_pieces(stream, piece) == frame_in_pieces(stream, stream.size() + 1));
  drive_channel(stream, piece, with_hello);
  return 0;
}

// Measures how much one core encodes, checks and decodes per second: messages that share frames against one frame per
// message (the baseline), and the checksum's two ways.
#include <benchmark/benchmark.h>

#include <string>
#include <utility>

#include "channel_pair.hpp"
#include "daedalus/base/check.hpp"
#include "daedalus/base/crc32c.hpp"

namespace daedalus::rpc {
namespace {

/// Operations per round; what a loaded loop turn finds to send.
constexpr uint64_t kRound = 256;

uint64_t sum_of_sequences(Channel& channel) {
  uint64_t sum = 0;
  for (const ChannelEvent& event : channel.take_events()) {
    if (const auto* operation = std::get_if<wire::v1::Operation>(&event)) {
      sum += operation->header().sequence();
    }
  }
  return sum;
}

/// Argument 0: messages per frame. Argument 1: bytes of body.
void BM_EncodeDecode(benchmark::State& state) {
  const auto per_frame = static_cast<uint64_t>(state.range(0));
  const auto body_size = static_cast<size_t>(state.range(1));
  ChannelPair pair;
  pair.exchange();
  (void)pair.a.take_events();
  (void)pair.b.take_events();
  wire::v1::Operation message = operation(0, body_size);
  uint64_t bytes = 0;
  for (auto _ : state) {
    uint64_t sum = 0;
    for (uint64_t sequence = 1; sequence <= kRound; ++sequence) {
      message.mutable_header()->set_sequence(sequence);
      pair.a.send(message);
      if (sequence % per_frame == 0) {
        const std::string output = pair.a.take_output(kStart);
        pair.a.on_written(output.size(), kStart);
        pair.b.on_bytes(output, kStart);
        bytes += output.size();
        sum += sum_of_sequences(pair.b);
      }
    }
    CHECK(sum == kRound * (kRound + 1) / 2);
  }
  state.SetItemsProcessed(static_cast<int64_t>(state.iterations() * kRound));
  state.SetBytesProcessed(static_cast<int64_t>(bytes));
}
BENCHMARK(BM_EncodeDecode)->ArgNames({"per_frame", "body"})->ArgsProduct({{1, 16, 256}, {64, 512}});

template <uint32_t (*kChecksum)(std::string_view)>
void BM_Checksum(benchmark::State& state) {
  const std::string bytes(static_cast<size_t>(state.range(0)), 'c');
  CHECK(kChecksum(bytes) == portable::crc32c(bytes));
  for (auto _ : state) {
    benchmark::DoNotOptimize(kChecksum(bytes));
  }
  state.SetBytesProcessed(static_cast<int64_t>(state.iterations() * bytes.size()));
}
uint32_t fast(std::string_view bytes) { return crc32c(bytes); }
uint32_t plain(std::string_view bytes) { return portable::crc32c(bytes); }
BENCHMARK(BM_Checksum<fast>)->Arg(256 << 10);
BENCHMARK(BM_Checksum<plain>)->Arg(256 << 10);

}  // namespace
}  // namespace daedalus::rpc

BENCHMARK_MAIN();

"""The cost sheet: planted stacks come to the right part, and what does not add up is seen."""

from __future__ import annotations

import os
import shutil
import subprocess
from pathlib import Path

import pytest

from experiments.cost_sheet.classify import KERNEL, Classifier, Frame
from experiments.cost_sheet.perf import PerfError, Sample, parse_script
from experiments.cost_sheet.sheet import largest_unnamed, make_sheet
from experiments.harness.cpu import Usage, stat_usage, thread_usages, usage
from experiments.harness.record import ROOT

NODE = "/main/build/release/bin/daedalus-storage-node"
AGGREGATOR = "/main/build/release/bin/daedalus-aggregator"
C_LIBRARY = "/usr/lib/x86_64-linux-gnu/libc.so.6"
JAVA_MAP = "/tmp/perf-1.map"


@pytest.fixture(scope="module")
def classifier() -> Classifier:
    return Classifier()


def stack(*frames: tuple[str, str]) -> list[Frame]:
    return [Frame(symbol, file) for symbol, file in frames]


PLANTED = [
    # Innermost frames decide: memory is memory, whoever asks for it.
    ("aggregator", "main", [("_int_malloc", C_LIBRARY), ("daedalus::merging::Gather::start()", AGGREGATOR)],
     "malloc and free"),
    ("aggregator", "main", [("cfree@GLIBC_2.2.5", C_LIBRARY)], "malloc and free"),
    # A symbol that no rule names belongs to whoever called it.
    ("aggregator", "main", [("__memmove_avx512_unaligned_erms", C_LIBRARY),
                            ("daedalus::merging::Gather::send_rows()", AGGREGATOR),
                            ("daedalus::aggregator::Server::on_turn_end()", AGGREGATOR)], "merge and gather"),
    ("aggregator", "daedalus-aggreg", [("protobuf_c_message_pack", "/usr/lib/libpg_query.so.15"),
                                       ("[unknown]", "[unknown]")], "compile and bind"),
    ("aggregator", "main", [("daedalus::aggregator::sql::Lexer::next()", AGGREGATOR)], "compile and bind"),
    ("aggregator", "main", [("daedalus::contract::routes_of()", AGGREGATOR)], "route and fan out"),
    # One function serves another part in another process.
    ("node", "main", [("daedalus::contract::to_selection()", NODE)], "node: decode"),
    ("node", "main", [("daedalus::rpc::Framer::next()", NODE)], "frame and channel"),
    ("node", "main", [("daedalus::rpc::AsioNetwork::post(char const*, std::function<void ()>)", NODE)], "thread hops"),
    ("node", "segment-0", [("daedalus::engine::N_AVX3::probe(int)", NODE)], "sweep"),
    ("node", "segment-0", [("daedalus::engine::RowEncoder::encode()", NODE),
                           ("daedalus::engine::Cycle::step()", NODE)], "encode rows"),
    ("node", "segment-0", [("daedalus::engine::CompiledPredicate::CompiledPredicate()", NODE)],
     "engine: compile and plan"),
    # Broken stacks go by thread.
    ("node", "segment-0", [("[unknown]", "[unknown]")], "sweep"),
    ("aggregator", "daedalus-aggreg", [("google::protobuf::Arena::Allocate()", "/usr/lib/libprotobuf.so.32")],
     "compile and bind"),
    ("aggregator", "main", [("google::protobuf::Arena::Allocate()", "/usr/lib/libprotobuf.so.32")],
     "messages, caller unknown"),
    # The client.
    ("client", "C2 CompilerThre", [("Compile::Optimize()", "/usr/lib/jvm/libjvm.so")], "JVM: compilers and garbage"),
    ("client", "load-generator", [("org.daedalus.wire.PackedRows.next()", JAVA_MAP)], "client: encode and decode"),
    ("client", "load-generator", [("io.netty.channel.epoll.EpollEventLoop.run()", JAVA_MAP)], "frame and channel"),
    ("client", "load-generator", [], "JVM: the rest"),
    # The kernel: any of its frames may say what it was for.
    ("node", "main", [("_raw_spin_unlock_irqrestore", KERNEL), ("try_to_wake_up", KERNEL), ("tcp_sendmsg", KERNEL),
                      ("__libc_send", C_LIBRARY)], "kernel: network"),
    ("node", "main", [("finish_task_switch", KERNEL), ("schedule", KERNEL), ("do_epoll_wait", KERNEL)],
     "kernel: waking and waiting"),
    ("client", "GC Thread#0", [("clear_page_erms", KERNEL), ("exc_page_fault", KERNEL)], "kernel: memory"),
    ("client", "load-generator", [("native_write_msr", KERNEL)], "kernel: the rest"),
]  # fmt: skip


@pytest.mark.parametrize(("process", "thread", "frames", "part"), PLANTED)
def test_a_planted_stack_comes_to_its_part(
    classifier: Classifier, process: str, thread: str, frames: list[tuple[str, str]], part: str
) -> None:
    assert classifier.part_of(process, thread, stack(*frames)) == part


def test_every_part_that_is_planted_is_one_of_the_sheet_and_every_one_of_the_sheet_can_be_named(
    classifier: Classifier,
) -> None:
    planted = {part for _, _, _, part in PLANTED}
    assert planted <= set(classifier.parts)
    assert len(classifier.parts) == len(set(classifier.parts))


def test_rules_name_what_is_in_the_programs_that_were_built(classifier: Classifier) -> None:
    programs = {"node": "daedalus-storage-node", "aggregator": "daedalus-aggregator"}
    expected = {
        "aggregator": {"compile and bind", "route and fan out", "merge and gather", "frame and channel", "thread hops"},
        "node": {"sweep", "encode rows", "engine: compile and plan", "node: decode", "merge and gather", "thread hops"},
    }
    for process, program in programs.items():
        path = ROOT / "build" / "release" / "bin" / program
        symbols = subprocess.run(["nm", "-C", path], capture_output=True, text=True, check=True).stdout.splitlines()
        own = [line.split(" ", 2)[2] for line in symbols if " t daedalus::" in line.lower()]
        found = {classifier.part_of(process, "main", [Frame(symbol, str(path))]) for symbol in own}
        assert expected[process] <= found


SCRIPT = [
    "daedalus-aggreg  7/9 12.000000345:   1003009 cpu-clock:ppp: \n",
    "\t    7f00aa operator() (int (*)(char)) (/usr/lib/some (deleted))\n",
    "\t    7f00ab [unknown] ([unknown])\n",
    "\n",
    "Thread (2) name  7/7 13.500000000:   1003009 cpu-clock: \n",
    "\tffffffff81 tcp_sendmsg ([kernel.kallsyms])\n",
    "\n",
    ":-1 26766/-1     15.000000000:    1003009 cpu-clock: \n",  # it has ended
    "\n",
    "java  8/8 14.000000000:   500000 cpu-clock: \n",
    "\n",
]


def test_the_output_of_perf_is_read_sample_by_sample() -> None:
    first, second, ended, third = parse_script(SCRIPT)
    assert first == Sample(7, "daedalus-aggreg", 12_000_000_345, 1_003_009, (
        Frame("operator() (int (*)(char))", "/usr/lib/some (deleted)"), Frame("[unknown]", "[unknown]")))  # fmt: skip
    assert (second.thread, second.stack[0].is_kernels) == ("main", True)
    assert (ended.process, ended.stack) == (26_766, ())
    assert third == Sample(8, "main", 14_000_000_000, 500_000, ())


def test_a_line_that_is_none_of_a_sample_is_an_error() -> None:
    with pytest.raises(PerfError, match="none of a sample"):
        list(parse_script(["what is this\n"]))


def sample(process: int, ms: int, symbol: str) -> Sample:
    return Sample(process, "main", 0, ms * 1_000_000, (Frame(symbol, NODE),))


def test_the_sheet_sums_up_and_sees_where_it_does_not(classifier: Classifier) -> None:
    names = {1: "client", 2: "node-0", 3: "node-1"}
    samples = [
        sample(1, 100, "org.daedalus.wire.Framer.feed"),
        sample(2, 200, "daedalus::engine::Cycle::step()"),
        sample(3, 200, "daedalus::engine::Cycle::step()"),
        sample(4, 900, "somebody else's"),
    ]
    sheet = make_sheet(samples, classifier, names, {1: 0.1, 2: 0.2, 3: 0.3}, 1_000)
    assert sheet.us("node", "sweep") == pytest.approx(400)
    assert sheet.sampled_us == pytest.approx(500)
    assert sheet.accounted_us == pytest.approx(600)
    assert sheet.difference == pytest.approx(1 / 6)
    assert "| sweep |  |  | 400.0 |  | 400.0 |" in sheet.table(classifier.parts)
    assert sheet.as_json()["parts_us"]["client"] == {"client: encode and decode": 100.0}
    with pytest.raises(ValueError, match="no query"):
        make_sheet(samples, classifier, names, {}, 0)


def test_a_symbol_without_a_name_is_shown(classifier: Classifier) -> None:
    unnamed = largest_unnamed([sample(2, 1, "mystery()")] * 3, classifier, {2: "node-0"}, "not named", 5)
    assert unnamed == [(3, "node [main] mystery() [daedalus-storage-node]")]


def test_cpu_time_is_read_whatever_a_process_is_called() -> None:
    line = "42 (a) (name) R) S 1 1 1 0 -1 0 0 0 0 0 150 50 0 0 20 0 1 0 100 0 0"
    ticks = os.sysconf("SC_CLK_TCK")
    assert stat_usage(line) == Usage(150 / ticks, 50 / ticks)
    assert (stat_usage(line) - Usage(1 / ticks, 0)).total == pytest.approx(199 / ticks)
    assert usage(os.getpid()).total >= 0
    assert os.getpid() in thread_usages(os.getpid())


@pytest.mark.skipif(os.environ.get("DAEDALUS_SOAK") != "1", reason="`make soak`: samples want a machine of their own")
@pytest.mark.skipif(shutil.which("perf") is None, reason="perf is not installed")
def test_a_real_cluster_gives_a_sheet_that_adds_up(tmp_path: Path) -> None:
    finished = subprocess.run(
        [ROOT / "tools" / "experiment.sh", "cost_sheet", "--quick", "--points", "booking", f"--output={tmp_path}"],
        capture_output=True, text=True, timeout=300, check=False,
    )  # fmt: skip
    assert finished.returncode == 0, finished.stdout + finished.stderr
    assert "| sweep |" in finished.stdout
    assert "| compile and bind |" in finished.stdout
    assert len((tmp_path / "runs.jsonl").read_text().splitlines()) == 1

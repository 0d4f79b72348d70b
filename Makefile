# The door to everything. `./make.sh run` and `./make.sh test` are all a newcomer needs: they install make and call it.
.DEFAULT_GOAL := help
.PHONY: help programs build measured run test test-slow nightly clients sim soak lint format bench proof experiment clean

help:
	@echo "./make.sh TARGET installs what is missing (make itself, too) and goes on; with make in place, \`make TARGET\` does the same."
	@echo
	@echo "run        build the programs, start a cluster on loopback, and spend a morning at an airline's operations"
	@echo "           desk on a million tickets (TICKETS=, CHANGES= a second, KEEP=1)"
	@echo "test       build everything and run the fast lane of every part"
	@echo "test-slow  sanitizers, more seeds, kills of real processes, fuzzers"
	@echo "nightly    what is too long for a change: each test in every build, all attacks, 100 kills, hosts, mutants"
	@echo "           (under two hours; where it was cut off, the next call goes on)"
	@echo "clients    install clients of PostgreSQL in their pinned versions, run each by its defaults, and write docs/clients.md"
	@echo "sim SEED=…  one run of the cluster simulator, told event by event"
	@echo "soak       hours of new seeds, by hand"
	@echo "lint       formats, static checks, types"
	@echo "format     rewrite sources in the house format"
	@echo "bench      micro-benchmarks"
	@echo "proof P=…  re-measure published figures"
	@echo "experiment E=…  one experiment of experiments/, with its picture"
	@echo "programs   build what run runs, as users run it (build/ship)"
	@echo "build      build everything, with checks and tests (build/release)"
	@echo "measured   build what bench, proof and experiment measure (build/ship)"
	@echo "clean      remove everything that was built"

programs:
	@tools/build.sh programs

build:
	@tools/build.sh everything

measured:
	@tools/build.sh measured

run: programs
	@KEEP=$(KEEP) TICKETS=$(TICKETS) CHANGES=$(CHANGES) tools/demo.sh

test: build
	@.venv/bin/python tools/lanes.py fast

test-slow: build
	@tools/build_slow.sh
	@.venv/bin/python tools/lanes.py slow

nightly: build
	@.venv/bin/python tools/lanes.py nightly

clients: build
	@.venv/bin/python tests/clients/run.py

sim:
	@tools/sim.sh "$(SEED)"

soak: build
	@tools/soak.sh

lint:
	@tools/lint.sh

format:
	@tools/format.sh

bench: measured
	@tools/bench.sh

proof: measured
	@tools/proof.sh "$(P)"

experiment: measured
	@tools/experiment.sh "$(E)"

clean:
	rm -rf build client-java/*/target .mypy_cache .ruff_cache .pytest_cache

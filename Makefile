# The door to everything. `make run` and `make test` are all a newcomer needs.
.DEFAULT_GOAL := help
.PHONY: help setup build run test test-slow soak lint format bench proof experiment clean

help:
	@echo "make run        install what is missing, build, start a cluster on loopback, and spend a morning at an airline's"
	@echo "                operations desk on a million tickets (TICKETS=, CHANGES= a second, KEEP=1)"
	@echo "make test       the fast lane of every part"
	@echo "make test-slow  sanitizers, more seeds, kills of real processes, fuzzers"
	@echo "make soak       hours of the same, by hand"
	@echo "make lint       formats, static checks, types"
	@echo "make format     rewrite sources in the house format"
	@echo "make bench      micro-benchmarks"
	@echo "make proof P=…  re-measure published figures"
	@echo "make build      build only"
	@echo "make experiment E=…  one experiment of experiments/, with its picture"
	@echo "make clean      remove everything that was built"

setup:
	@tools/setup.sh

build: setup
	@tools/build.sh

run: build
	@KEEP=$(KEEP) TICKETS=$(TICKETS) CHANGES=$(CHANGES) tools/demo.sh

test: build
	@.venv/bin/python tools/lanes.py fast

test-slow: build
	@tools/build_slow.sh
	@.venv/bin/python tools/lanes.py slow

soak: build
	@tools/soak.sh

lint: setup
	@tools/lint.sh

format: setup
	@tools/format.sh

bench: build
	@tools/bench.sh

proof: build
	@tools/proof.sh "$(P)"

experiment: build
	@tools/experiment.sh "$(E)"

clean:
	rm -rf build client-java/*/target .mypy_cache .ruff_cache .pytest_cache

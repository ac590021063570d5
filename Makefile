# SPDX-License-Identifier: Apache-2.0
# One build configuration for everything: tests run what is measured.
SWIFT_BUILD = swift build -c release
# The program of the tests itself: of two `swift test` at once, one can find the database of the build locked and no tests.
# All tests begin together by default, and a test's time limit runs out while hundreds of others have the processors.
SWIFT_TEST = NO_COLOR=1 .build/release/fetchbenchPackageTests.xctest --testing-library swift-testing \
	--experimental-maximum-parallelization-width $$(( 2 * $$(nproc) ))
# Makes the manifest leave out the packages that `main-programs` does not need, unless they are there already: SwiftPM
# would remove them.
MAIN_PACKAGES = $(if $(wildcard .build/checkouts/swift-nio-ssl),,FETCHBENCH_PACKAGES=main)
OUTPUT ?= results
# The same programs with Swift's libraries in them, in a folder of their own: the two builds share no object file.
STATIC_BUILD = $(SWIFT_BUILD) --static-swift-stdlib --scratch-path .build/static
# The tests that look from outside at what another process does at that moment: other load would be in their figures.
QUIET_TESTS = MemProbeTests|ProfilesTests
TRIAL_PROGRAMS = urlsession opencombine async-http-client nio curl raw

.PHONY: help setup build main-programs announced-bench install uninstall dist try-dist image try-image test bench check lint format golden behaviours behaviours-table probe-cost null-simulations merge-bars shard-verdicts verdicts costs bars pictures publish docs try-readme own-client fuzz

help: ## Show this list
	@grep -hE '^[a-z-]+:.*## ' $(MAKEFILE_LIST) | sed -E 's/:.*## /\t/' | expand -t 18

setup: ## Install what is missing (Debian, Ubuntu)
	@scripts/install-dependencies

build: setup ## Build the command and all trial programs
	$(SWIFT_BUILD)

main-programs: setup # What the main job needs: no client library but URLSession, no TLS, no tests of behaviours
	@[ -e .build/release/fetchbench ] || echo 'Building what the main job needs: about 5 minutes on two cores, once.'
	$(MAIN_PACKAGES) $(SWIFT_BUILD) --target main-programs
	$(MAIN_PACKAGES) $(SWIFT_BUILD) --product AllocationRecorder

install: build ## Install into PREFIX (/usr/local); DESTDIR is put before that while a package is made
	scripts/install-tree .build/release

uninstall: ## Take away what install put there
	scripts/install-tree --uninstall

dist: build ## Pack a tarball that runs where there is no Swift, into .build/dist
	@scripts/install-dependencies --dist
	scripts/make-dist .build/dist

try-dist: dist ## Use that tarball in a Debian without Swift (root, debootstrap)
	scripts/try-dist "$$(ls -t .build/dist/fetchbench-*.tar.xz | head -n 1)"

image: build ## Make an OCI image of the same, without an engine (root, debootstrap)
	@scripts/install-dependencies --dist
	scripts/make-image .build/dist

try-image: image ## Use that image as its user, without a home
	scripts/try-image "$$(ls -t .build/dist/fetchbench-*.oci.tar | head -n 1)"

bench: announced-bench main-programs ## Run the main job on the embedded origin and store it in results/
	.build/release/fetchbench run --suite Benchmarks/suites/default.yml --allocator-series --output $(OUTPUT)

announced-bench:
	@echo 'make bench builds fetchbench, then measures 26 cases on an origin of its own, without a network, for about 2 minutes.'

test: ## Build and run all tests
	@scripts/install-dependencies --test
	$(SWIFT_BUILD) --build-tests
	# The tests that start commands mostly wait, so the others run next to them, in a process of their own. Those that need
	# a quiet machine follow by themselves.
	@status=0; \
	$(SWIFT_TEST) --filter '^FetchBenchTests\.' > .build/command-tests.log 2>&1 & commands=$$!; \
	trap 'kill $$commands; exit 130' INT TERM; \
	$(SWIFT_TEST) --skip '^($(QUIET_TESTS)|FetchBenchTests)\.' > .build/other-tests.log 2>&1 || status=1; \
	wait $$commands || status=1; \
	$(SWIFT_TEST) --filter '^($(QUIET_TESTS))\.' > .build/quiet-tests.log 2>&1 || status=1; \
	scripts/test-results .build/command-tests.log .build/other-tests.log .build/quiet-tests.log; exit $$status

fuzz: setup ## Let libFuzzer feed each reader of what others write, a minute each (SECONDS_EACH, TARGETS)
	scripts/fuzz

check: main-programs ## Judge the main modes by budgets and the stored baseline
	.build/release/fetchbench check --suite Benchmarks/suites/check.yml --output $(OUTPUT) $(CHECK_FLAGS)

lint: ## Check the format, the layers, the folders, the sizes, the embedded suites, the links of documents and the shell
	@command -v python3 >/dev/null && command -v shellcheck >/dev/null || scripts/install-dependencies --test
	swift format lint --strict --recursive --parallel Package.swift Sources Tests Benchmarks Examples
	scripts/check-layers
	scripts/draw-targets --check
	scripts/check-folders
	scripts/check-sizes --control
	scripts/check-sizes
	scripts/check-starts --control
	scripts/check-starts
	scripts/check-language --control
	scripts/check-language
	scripts/check-architecture --control
	scripts/check-architecture
	scripts/check-links --control
	scripts/check-links
	scripts/check-action --control
	scripts/check-action
	scripts/mutate --check
	Benchmarks/tracing-cost.py --check
	scripts/figures --check && scripts/figures --control
	scripts/publish --check
	scripts/check-shell

format: ## Format all sources in place
	swift format --in-place --recursive --parallel Package.swift Sources Tests Benchmarks Examples

golden: ## Write the golden reports anew; read the difference before you commit it
	FETCHBENCH_WRITE_GOLDEN=1 swift test -c release --filter GoldenReport

pictures: main-programs ## Draw the pictures and print the output that documents show, from their stored runs
	scripts/draw-pictures .build/release/fetchbench
	scripts/shown-output .build/release/fetchbench

publish: build ## Make the runs that documents show anew, at one commit, and put their figures into the documents (it says how long)
	scripts/publish .build/release/fetchbench
	scripts/figures --write
	$(MAKE) pictures

behaviours: results/behaviours.json build ## Try what the fetch APIs promise, and compare with the stored table
	.build/release/fetchbench behaviours --jobs 4 --expect results/behaviours.json

results/behaviours.json:
	@echo '$@ is missing: there is no table to compare with; "make behaviours-table" writes one' >&2; exit 2

behaviours-table: build ## Write the table of behaviours anew; read the difference before you commit it
	rm -rf .build/behaviours
	.build/release/fetchbench behaviours --jobs 4 --output .build/behaviours
	cp .build/behaviours/behaviours.* results/

docs: ## Build the documentation of the products; fail on what is undocumented, a warning, or code that does not compile
	@for name in $$(scripts/products.py) AsyncHTTPClientModes Rendering Reports; do $(SWIFT_BUILD) --target $$name || exit; done
	scripts/check-docs --control
	scripts/check-docs
	scripts/check-snippets --control
	scripts/check-snippets
	scripts/check-additions --control
	scripts/check-additions
	scripts/build-docs

try-readme: build ## Run each command of fetchbench that README.md shows, as its reader would
	scripts/try-readme

own-client: main-programs ## Build, measure, compare and explain Examples/own-client as a stranger would
	scripts/try-own-client

probe-cost: ## Measure what MemProbe itself costs
	swift run -c release --package-path Benchmarks/MemProbeCost

null-simulations: ## Judge 100,000 made-up comparisons of each arrangement in which nothing differs (half an hour)
	$(SWIFT_BUILD) --product null-simulations
	.build/release/null-simulations > .build/null-simulations.csv
	.build/release/null-simulations hosts > .build/host-simulations.csv
	mv .build/null-simulations.csv .build/host-simulations.csv results/
	scripts/figures --write

merge-bars: main-programs ## Merge 1,000 shards with up to ten million trials (15 GB of disk, six minutes)
	Benchmarks/merge-bars.py .build/release/fetchbench --csv results/merge.csv
	scripts/figures --write

shard-verdicts: main-programs ## Count wrong verdicts of real comparisons over shards (forty minutes)
	Benchmarks/shard-verdicts.py .build/release/fetchbench 60 20; status=$$?; scripts/figures --write; exit $$status

# Comparisons without a difference, then with planted growth. Every finding is stored, so it can be interrupted.
NULL_CHECKS := modes:same:40 modes:copy:60 modes:dropped:40 modes:fresh:40 modes:tmpfs:40 modes:overlay:40 modes:rebuilt:30 modes:dead:20 \
	hero:copy:40 hero:rebuilt:20 commands:copy:40 commands:dropped:20 commands:tmpfs:20 commands:overlay:20 \
	plain:copy:60 plain:fresh:20 plain:overlay:20 scenario:copy:30
PLANTED_CHECKS := plant=256KiB:copy:20 plant=1MiB:copy:20 start=1MiB:copy:20

verdicts: build ## Count wrong verdicts of real comparisons (root, two and a half hours; continues where it was interrupted)
	[ -e .build/elsewhere/client ] || Benchmarks/elsewhere .build/elsewhere
	Benchmarks/verdicts.py .build/release/fetchbench --rebuilt .build/elsewhere/rebuilt/fetchbench \
	    --dead-code .build/elsewhere/dead-code/fetchbench --client .build/elsewhere/client $(NULL_CHECKS) $(PLANTED_CHECKS); status=$$?; \
	    scripts/figures --write && exit $$status

costs: build ## Measure what each client library costs before it fetches anything, and after its first 1 KiB
	for program in $(TRIAL_PROGRAMS); do $(STATIC_BUILD) --product trial-$$program || exit; done
	.build/release/fetchbench costs --static .build/static/release $(COSTS_FLAGS)

bars: build ## Measure what the harness promises of itself, beside curl
	$(SWIFT_BUILD) --product memprobe-fixture
	Benchmarks/bars.py .build/release/fetchbench; status=$$?; Benchmarks/big-run.py bar .build/release/fetchbench && exit $$status

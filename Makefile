# SPDX-License-Identifier: GPL-2.0-or-later
# The front door. `make help` lists what there is.

SCENARIO ?= scenarios/d2d-nardini/static.yaml
RESULTS  ?= results
LAB      ?= virtual
SEED     ?=
KERNEL   ?=
BOX      ?=
WHEELS   ?=
FUZZ_SECONDS ?= 3600
RUNS ?= 1000
PROPERTY_ROUNDS ?= 1
MINUTES ?= 10
BASE ?=
PACKETDRILL ?=
TESTS ?=
ROUNDS ?= 3
COUNT ?=
UPGRADE ?=
PART ?= core
MUTANTS ?= 300
PYTHON   ?= python3
VENV     := .venv
CELLBED  := $(VENV)/bin/cellbed
PYTEST   := $(VENV)/bin/python -m pytest
PARALLEL ?= -n auto
STAMPS   := build/.stamps
# A machine that another one provisions has PROVISION=true and EXTRAS=: its packages are there, and it needs no Ansible. A worker
# of a fleet has EXTRAS=test, where Dask is. A CPU without AVX2 needs EXTRAS="setup without-avx2".
EXTRAS   ?= setup
PROVISION ?= ANSIBLE_CONFIG=ansible/ansible.cfg $(abspath $(VENV))/bin/ansible-playbook ansible/site.yml
PACKAGES  = @$(PROVISION) --limit localhost --tags packages -e '{packages_groups: [$(1)]}' || \
	{ [ -t 0 ] && ! sudo -n true 2>/dev/null && $(PROVISION) --limit localhost --tags packages -e '{packages_groups: [$(1)]}' --ask-become-pass; }
SEED_ARG := $(if $(SEED),--seed $(SEED))
# A file of certificates (PEM) for a package index whose authority the system does not know. The lab VM and the image
# get it, too.
CA       ?= $(or $(PIP_CERT),$(REQUESTS_CA_BUNDLE))
ifneq ($(CA),)
export PIP_CERT := $(abspath $(CA))
export SSL_CERT_FILE := $(abspath $(CA))
endif
# What is installed is what the locks name, by hash. uv needs a part of pip's time, but does not know where pip has been
# told to look for packages. Then pip installs.
LOCKS := $(foreach lock,requirements.lock $(EXTRAS:%=requirements-%.lock),-r $(lock))
UV := $(VENV)/bin/uv pip
PIP := $(VENV)/bin/pip
QUIETLY := -q --disable-pip-version-check
INSTALL_QUICKLY = ! $(PIP) config list | grep -q index && \
	$(PIP) install $(QUIETLY) $$(sed -n 's/^\(uv==[^ ]*\).*/\1/p' requirements.lock) && \
	$(UV) install -q --system-certs --python $(VENV)/bin/python --require-hashes $(1)
INSTALL_SLOWLY = $(PIP) install $(QUIETLY) --require-hashes $(1)
INSTALL = { $(call INSTALL_QUICKLY,$(1)) || $(call INSTALL_SLOWLY,$(1)); } >build/.python.log 2>&1 || \
	{ echo "setup: Python packages cannot be installed: $$(grep -m1 -i error build/.python.log || tail -1 build/.python.log)" >&2; exit 1; }
UV_LOCK = $(UV) compile -q --system-certs --universal --python-version 3.11 --generate-hashes --no-emit-index-url \
	--no-header --no-annotate pyproject.toml $(if $(UPGRADE),--upgrade)

# With it every worker of every target would compile all tests again.
unexport PYTHONDONTWRITEBYTECODE

.DEFAULT_GOAL := help
.DELETE_ON_ERROR:
.PHONY: help setup setup-test lock audit wheels build native-lab lab-kernel lab-kernels lab-vm lab-vm-host test-lab-vm run-experiment report test test-all test-without-sanitizers test-fast test-long durations sanitized conformance fuzz fuzz-threats soak coverage mutate bench bench-scale bench-captures bench-lena iperf3 wheel image lint language core-graph format reference docs matrix replication check-replication pictures doctor golden-update clean

help: ## this list
	@awk -F':.*## ' '/^[a-z-]+:.*## /{printf "  %-16s %s\n", $$1, $$2}' $(MAKEFILE_LIST)
	@echo "  variables        SCENARIO=$(SCENARIO) SEED= RESULTS=$(RESULTS) LAB=$(LAB) KERNEL="

# The lab kernel, which takes longest, is compiled while all else is installed and compiled.
run-experiment: ## run SCENARIO in LAB and report it against the paper
	@$(MAKE) --no-print-directory -j2 setup $(if $(filter virtual,$(LAB)),lab-kernel)
	$(CELLBED) run $(SCENARIO) --keep-going --results $(RESULTS) --lab $(LAB) $(SEED_ARG) $(if $(KERNEL),--kernel $(KERNEL))
	$(CELLBED) report $(RESULTS)

report: setup ## measure and report what is in RESULTS
	$(CELLBED) report $(RESULTS)

setup: $(STAMPS)/packages build ## install what running and reporting need, and build everything but the lab kernel

setup-test: setup $(STAMPS)/packages-test $(STAMPS)/python-test ## install what tests, linters and documents need, and compile all
	@ninja -C build $(if $(V),-v,--quiet)

# ansible/roles/packages does it, as on every other machine. It needs root only when a package is missing; sudo may then
# want a password, which Ansible has to be told to ask for.
$(STAMPS)/packages: packages.txt $(wildcard ansible/roles/packages/*/*) $(STAMPS)/python
	@echo "Debian packages that are missing"
	$(call PACKAGES,)
	@touch $@

$(STAMPS)/packages-test: $(STAMPS)/packages
	@echo "Debian packages of the tests that are missing"
	$(call PACKAGES,test)
	@touch $@

$(STAMPS)/bootstrap: packages.txt ansible/bootstrap
	@mkdir -p $(@D)
	@$(if $(filter true,$(PROVISION)),,ansible/bootstrap $(PYTHON))
	@touch $@

$(STAMPS)/python: pyproject.toml requirements.lock $(EXTRAS:%=requirements-%.lock) $(STAMPS)/bootstrap
	@echo "Python packages into $(VENV)"
	@$(PYTHON) -m venv $(VENV)
	@$(call INSTALL,$(LOCKS))
	@$(PIP) install $(QUIETLY) --no-deps --no-build-isolation -e .
	@touch $@

$(STAMPS)/python-test: requirements-test.lock $(STAMPS)/python
	@echo "Python packages of the tests into $(VENV)"
	@$(call INSTALL,-r requirements-test.lock)
	@touch $@

build: | $(STAMPS)/packages ## compile celld, cellsim, ipdump and tcpwatch
	@[ -f build/build.ninja ] || meson setup build >build/.setup.log 2>&1 || { cat build/.setup.log; exit 1; }
	@ninja -C build $(if $(V),-v,--quiet) programs

lock: setup ## renew requirements*.lock within the ranges of pyproject.toml; UPGRADE=1: with the newest versions
	$(UV_LOCK) --extra build -o requirements.lock
	$(UV_LOCK) --extra test --extra fleet --extra mininet -c requirements.lock -o requirements-test.lock
	$(UV_LOCK) --extra setup -c requirements.lock -c requirements-test.lock -o requirements-setup.lock
	$(UV_LOCK) --extra without-avx2 -c requirements.lock -o requirements-without-avx2.lock

audit: setup ## known weaknesses of the packages that the locks name
	$(VENV)/bin/uv tool run --system-certs pip-audit --disable-pip $(patsubst %,-r %,$(wildcard requirements*.lock))

# Of the VM's Python, not of this one.
wheels: setup ## download what the lock names for the lab VM, for `make test-lab-vm WHEELS=build/wheels`
	@mkdir -p build/wheels
	$(UV) compile -q --system-certs --python-version 3.13 --generate-hashes --no-header --no-annotate requirements.lock requirements-without-avx2.lock -o build/wheels.txt
	$(PIP) download $(QUIETLY) --no-deps --require-hashes --python-version 3.13 -r build/wheels.txt -d build/wheels

native-lab: setup ## load the kernel modules and settings of this machine's native lab (root)
	@$(PROVISION) --limit localhost --tags native_lab $(if $(filter 0,$(shell id -u)),,--ask-become-pass)

# Other users of this checkout find it there, if this user may write there.
GIVE = $(if $(shell [ -w kernel ] && echo yes),--give .)
lab-kernel: $(STAMPS)/bootstrap ## build the newest lab kernel whose source can be had (cached)
	@kernel/build $(GIVE) >/dev/null

lab-kernels: $(STAMPS)/bootstrap ## build every lab kernel whose source can be had (cached)
	@kernel/build --all $(GIVE) >/dev/null

lab-vm-host: setup ## install what building and starting a lab VM needs
	@$(PROVISION) --limit localhost --tags packages -e '{packages_groups: [vm-host, bootstrap]}'

lab-vm: lab-vm-host ## a lab VM: with vagrant if it is there; BOX=FILE builds a box of our own first
	@vm/up $(BOX)

test-lab-vm: setup lab-vm-host lab-kernel ## build, boot and provision a lab VM in QEMU, run in it, compare; takes 20 minutes
	@vm/test-lab-vm $(if $(WHEELS),--wheels $(WHEELS))

# Tests of a file share what they have run. So each worker begins with files of its own, and takes other tests when it
# has none left.
test: setup-test lab-kernels ## tests but for the longest; what needs root is skipped with a reason
	meson test -C build --print-errorlogs --quiet
	$(PYTEST) $(PARALLEL) -m "not long"

test-fast: setup-test ## tests that need neither a lab nor root and take a second at most
	meson test -C build --print-errorlogs --quiet
	$(PYTEST) $(PARALLEL) -m "not lab and not slow"

# Side by side: what is compiled and computed for the sanitizers fills the time in which tests wait.
test-all: setup-test lab-kernels ## all tests; LONG_PART=K/N: of the longest only the K-th of N parts, as the gate
	@$(MAKE) --no-print-directory -j2 sanitized test-without-sanitizers

# Each file's tests in one go, which share what they have run. Property tests are all in `sanitized`.
test-without-sanitizers: setup-test lab-kernels
	meson test -C build --print-errorlogs --quiet
	$(PYTEST) $(PARALLEL) --ignore=emulator/tests/prop $(if $(LONG_PART),--long-part $(LONG_PART))

# Property tests are all in `sanitized`, the long ones too.
test-long: setup-test lab-kernels sanitized ## what `make test` leaves out, and the core under sanitizers
	$(PYTEST) $(PARALLEL) -m long --ignore=emulator/tests/prop

# One worker for each CPU: with two, a test takes longer.
durations: setup-test lab-kernels ## measure all tests, and write down which ones the targets above leave out
	$(PYTEST) -n $$(nproc) --durations-file

# Programs as they run, in this machine's namespaces: with their own filters of system calls, and nothing of Python's.
SANITIZED_NATIVELY := emulator/tests/test_celld.py tests/test_native.py::test_the_same_scenario_on_this_kernel

# What Python loads with the sanitizers in it needs them in Python, too, whose own leaks are none of theirs. More optimisation
# takes twice as long to compile, and no test ends sooner for it.
sanitized: setup-test ## unit and property tests, and a native run, with AddressSanitizer and UndefinedBehaviorSanitizer
	@[ -f build/sanitized/build.ninja ] || CC=gcc meson setup -Db_sanitize=address,undefined -Db_lundef=false -Doptimization=1 build/sanitized >build/.sanitized.log 2>&1 || { cat build/.sanitized.log; exit 1; }
	@ninja -C build/sanitized $(if $(V),-v,--quiet)
	meson test -C build/sanitized --timeout-multiplier 4 --print-errorlogs --quiet
	LD_PRELOAD=$$(gcc -print-file-name=libasan.so) ASAN_OPTIONS=detect_leaks=0 CELLBED_BUILD=$(abspath build/sanitized) $(PYTEST) $(PARALLEL) emulator/tests/prop
	CELLBED_BUILD=$(abspath build/sanitized) $(PYTEST) $(PARALLEL) $(SANITIZED_NATIVELY)

conformance: setup-test $(if $(KERNEL),,lab-kernel) ## TCP tests of packetdrill and of the kernel itself in KERNEL; PACKETDRILL: a copy of it; TESTS: parts of names
	$(VENV)/bin/python -m cellbed_kernel.conformance.run $(if $(KERNEL),--kernel $(KERNEL)) $(if $(PACKETDRILL),--packetdrill $(PACKETDRILL)) $(TESTS)

fuzz: setup-test ## make up inputs for all decoders and the core, FUZZ_SECONDS in all, and for properties; needs clang
	@[ -f build/fuzz/build.ninja ] || CC=clang meson setup -Dfuzz=true build/fuzz >build/.fuzz.log 2>&1 || { cat build/.fuzz.log; exit 1; }
	@ninja -C build/fuzz $(if $(V),-v,--quiet) fuzzers
	nice -n 19 emulator/fuzz/run.py build/fuzz --seconds $(FUZZ_SECONDS) $(SEED_ARG)
	nice -n 19 $(VENV)/bin/python tests/properties.py $(PROPERTY_ROUNDS)

# Each of the three alone, so that none takes the time of another.
fuzz-threats: setup-test ## MINUTES each of new command lines, links and damage in bundles, and frames of ssh hosts
	nice -n 10 $(VENV)/bin/python tests/properties.py --minutes $(MINUTES) tests/test_command_line.py
	nice -n 10 $(VENV)/bin/python tests/properties.py --minutes $(MINUTES) tests/test_linked_bundles.py formats/tests/test_inside.py
	nice -n 10 $(VENV)/bin/python tests/properties.py --minutes $(MINUTES) lab/tests/sweep/test_ssh_frames.py lab/tests/sweep/test_ssh_hosts.py

soak: setup-test lab-kernel ## virtual labs one after another, RUNS of them: the same bytes, nothing that grows; and properties
	PYTHONPATH=tests $(VENV)/bin/python tests/soak.py $(RUNS)
	$(VENV)/bin/python tests/properties.py $(PROPERTY_ROUNDS)

# A report of all of the analysis, then what has to be complete.
coverage: setup-test ## branches of the analysis that its tests reach; fails where they miss a line of a metric, claim or statistic
	$(VENV)/bin/python -m coverage erase
	$(VENV)/bin/python -m coverage run -m pytest -q analysis/tests channel/tests formats/tests
	$(VENV)/bin/python -m coverage combine -q
	$(VENV)/bin/python -m coverage report --skip-covered
	$(VENV)/bin/python -m coverage report --skip-covered --fail-under=100 --include='*/metrics/*,*/claims/*,*/stats/*,*/studies/*/metrics.py,*/studies/*/explain.py,*/studies/*/evidence.py'

mutate: setup-test ## change the code of PART at random, MUTANTS times, and show what no test notices; SEED: other changes
	nice -n 19 $(VENV)/bin/python tests/mutate/mutate.py --part $(PART) --mutants $(MUTANTS) --seed $(or $(SEED),1)

# With BASE=COMMIT only the virtual lab: that commit is built in a folder of its own, and both run in turns.
bench: setup-test lab-kernel ## speed of the core, of celld as a pipe (as root), of the virtual lab and of reports; BASE=COMMIT: ratios to it
	$(if $(BASE),,meson test -C build --benchmark --verbose)
	$(VENV)/bin/python tests/bench/virtual.py --rounds $(ROUNDS) $(if $(BASE),--base $(BASE))
	$(VENV)/bin/python tests/bench/reports.py --rounds $(ROUNDS) $(if $(BASE),--base $(BASE))

bench-scale: setup-test lab-kernel ## how the cost of runs grows with UEs, length, a crowd and their number
	$(VENV)/bin/python tests/bench/scale.py

bench-captures: setup-test ## CPU time and memory of `cellbed pcap` beside tcptrace and tshark, where these are installed
	$(VENV)/bin/python tests/bench/captures.py --rounds $(ROUNDS)

bench-lena: setup-test lab-kernel ## the virtual lab beside LENA of ns-3, which is fetched from PyPI
	$(VENV)/bin/python tests/bench/lena.py --rounds $(ROUNDS)

docs: setup-test lab-kernel ## the documents as a site with search, build/site; fails on links that lead nowhere
	$(VENV)/bin/python docs/site/build.py build/site --run

iperf3: build/iperf3/iperf3 ## the iperf3 of wheels, which runs of this checkout use from then on: the same bytes as a wheel's

build/iperf3/iperf3: iperf3/build iperf3/main.c
	iperf3/build $(@D)

wheel: setup lab-kernels iperf3 ## a wheel with programs, lab kernels and scenarios, in build/dist
	$(VENV)/bin/pip wheel -q --disable-pip-version-check --no-deps --wheel-dir build/dist .
	@ls -sh build/dist

arm64: setup-test ## programs and wheel for arm64, cross-compiled, and the core's tests under qemu-user; wheel in build/arm64/dist
	@$(PROVISION) --limit localhost --tags packages -e '{packages_groups: [arm64, bootstrap]}'
	@nice -n 10 .ci/arm64 core daemon

image: wheel ## an image for podman and Docker, in build/dist and as localhost/cellbed
	@$(PROVISION) --limit localhost --tags packages -e '{packages_groups: [image, bootstrap]}'
	@image/build build/dist/cellbed-*.whl build/dist/cellbed-image.tar

# They come from PyPI in one version each, so that they say the same on every machine.
lint: setup-test $(STAMPS)/ansible-lint $(STAMPS)/cppcheck ## formatters and linters, as the gate runs them
	$(VENV)/bin/ruff check .
	$(VENV)/bin/mypy
	nice -n 10 $(VENV)/bin/python tests/analyse.py
	$(VENV)/bin/yamllint -s scenarios ansible
	$(VENV)/bin/clang-format --dry-run --Werror $$(git ls-files '*.c' '*.h')
	$(VENV)/bin/python tests/language/check.py
	.ci/actionlint

# Takes some ten seconds, so only when something changed.
$(STAMPS)/ansible-lint: .ansible-lint.yml $(shell find ansible -type f) | setup-test
	@cd ansible && PATH=$(abspath $(VENV))/bin:$$PATH ansible-lint -q -c ../.ansible-lint.yml site.yml
	@touch $@

# What is off: style, which is clang-format's; headers of the system, which it need not see; programs for the kernel, another
# dialect.
$(STAMPS)/cppcheck: packages.txt $(shell git ls-files 'emulator/*.[ch]' 'ebpf/*.[ch]' 2>/dev/null) | setup-test
	@mkdir -p build/.cppcheck
	@cppcheck -q -j $$(nproc) --error-exitcode=1 --enable=warning,performance,portability --std=c11 \
		--suppress=missingIncludeSystem --cppcheck-build-dir=build/.cppcheck -Iemulator -Iemulator/core \
		$$(git ls-files 'emulator/*.c' 'ebpf/*.c' ':!*.bpf.c')
	@touch $@

language: setup-test ## words that docs/glossary.md replaces, and misspelt ones, with place; COUNT=1: how many, by folder
	$(VENV)/bin/python tests/language/check.py $(if $(COUNT),--count)

core-graph: setup-test ## draw the packages of the core into ARCHITECTURE.md
	$(VENV)/bin/python emulator/tests/core_layers.py

format: setup-test ## let the formatters decide
	$(VENV)/bin/ruff check --fix .
	$(VENV)/bin/clang-format -i $$(git ls-files '*.c' '*.h')

golden-update: setup-test ## rewrite the golden readings and show the difference
	build/emulator/tests/golden/drawn_cells > emulator/tests/golden/drawn.txt
	$(VENV)/bin/python -m pytest emulator/tests/golden analysis/tests/golden --golden-update
	git diff --stat -- emulator/tests/golden analysis/tests/golden

reference: setup ## write docs/reference/ and docs/metrics.md again, and what scenarios/reference*.yaml lack, of commands, models and metrics
	$(VENV)/bin/python -P -m cellbed.cli.reference .
	$(VENV)/bin/python -m cellbed_analysis metrics >build/.metrics.md && cp build/.metrics.md docs/metrics.md

matrix: setup-test lab-kernels ## write docs/reference/kernels.md again: what each kernel has
	$(VENV)/bin/python -m cellbed.labs.matrix docs/reference/kernels.md

replication: setup-test ## write docs/replication/ again, pages for each paper, of the runs in RESULTS; without, of the data that are kept there
	$(VENV)/bin/python -m cellbed_analysis publish $(RESULTS) docs/replication --claims scenarios/*/*claims.yaml

# Status 4: this machine's kernel is another one, so that nothing can be compared, which is said.
check-replication: setup-test lab-kernel iperf3 ## run one published run of each paper again, and compare what it records
	for paper in nardini pacifico demey li park; do $(CELLBED) replicate $$paper --check --sample 1 || [ $$? = 4 ] || exit 1; done

pictures: setup-test lab-kernel ## make the pictures of the documents again, of runs in build/pictures
	$(CELLBED) run scenarios/d2d-nardini/dynamic-look.yaml --results build/pictures --variant reno --variant sack
	$(CELLBED) report build/pictures --each
	$(VENV)/bin/python docs/images/make.py build/pictures

doctor: setup ## what this machine can run
	$(CELLBED) doctor

clean: ## remove leftovers of killed runs and the build; results and the cached kernel stay
	@[ ! -x $(CELLBED) ] || $(CELLBED) clean
	rm -rf build $(VENV) cellbed.egg-info

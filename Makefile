# Short names for what is done most often. CMake does the work; CMakePresets.json has the variants.
.PHONY: all build demo check check-quick rtl bench packages library-packages test-packages bench-packages install clean

all: build

# Leaves build/release/bin/{isthmus,oshrun,oshcc,oshc++}. Installs nothing.
build:
	cmake --preset release
	cmake --build --preset release

# From a fresh machine to heat flowing through a picture on 4 PEs.
demo: packages
	cmake --preset release
	cmake --build --preset release --target isthmus_tool oshcc heat
	sh examples/run-demo.sh

# The same for the tests, those of several hosts included. Most are jobs of several processes, which take
# two of ctest's places; two are for what waits for most of its time, which begins first; in the last one
# go those of one process meanwhile.
check: test-packages build
	ctest --test-dir build/release --output-on-failure -j 5 $(CHECK_OPTIONS)

# The tests of the library alone, 5 minutes on 2 cores: src/, core, the OpenSHMEM face, the native one.
check-quick: library-packages
	cmake --preset release
	cmake --build --preset release --target tests-library
	ctest --test-dir build/release --output-on-failure -j 3 -L '^library$$' --no-tests=error

# What the project claims, beside its peers; each group says what does not hold. BENCH="aos sfi": only
# these; OPTIONS=--quick.
BENCH ?= one-host aos sfi xbgas engine
bench: bench-packages
	cmake --preset release
	cmake --build --preset release --target isthmus_bench isthmus_tool
	status=0; for group in $(BENCH); do \
	    build/release/bin/isthmus bench $$group $(OPTIONS) || status=1; done; exit $$status

# The gates: lint, build, tests, proofs. rtl/README.md says what each needs.
rtl:
	sh tools/install-packages.sh --test --rtl
	cmake --preset release
	cmake --build --preset release --target isthmus_rtl engine_random engine_directed engine_numbers rtl_mesh
	python3 rtl/lint/lint.py
	ctest --test-dir build/release --output-on-failure -R '^rtl\.'
	python3 rtl/formal/prove.py
	python3 rtl/synth/synth.py netlist ht_engine

packages:
	sh tools/install-packages.sh

library-packages:
	sh tools/install-packages.sh --test

test-packages:
	sh tools/install-packages.sh --test --hosts --rtl

bench-packages:
	sh tools/install-packages.sh --test --hosts --bench

# make install PREFIX=/opt/isthmus; builds no tests. OPTIONS="-DISTHMUS_SIM=OFF ...": docs/install.md.
PREFIX ?= /usr/local
install:
	cmake --preset release -B build/install -DISTHMUS_TESTS=OFF $(OPTIONS)
	cmake --build build/install
	cmake --install build/install --prefix $(PREFIX)

clean:
	rm -rf build/release build/install

# Short names for what is done most often. CMake does the work; CMakePresets.json has the variants.
.PHONY: all build demo check packages test-packages install clean

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

# The same for the tests. Two at a time: many of them are jobs of several processes themselves.
check: test-packages build
	ctest --test-dir build/release --output-on-failure -j 2

packages:
	sh tools/install-packages.sh

test-packages:
	sh tools/install-packages.sh --test

# make install PREFIX=/opt/isthmus
PREFIX ?= /usr/local
install: build
	cmake --install build/release --prefix $(PREFIX)

clean:
	rm -rf build/release

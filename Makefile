# Needs Python 3.11 or newer and make; everything else is installed into .venv.
PYTHON ?= python3
BIN := .venv/bin
READY := .venv/.ready

.PHONY: setup run demo check test test-clients types cover fuzz faults startup schemas bench failover soak kills build lock

setup: $(READY)
$(READY): requirements-dev.txt pyproject.toml ; ./.ci/setup $(PYTHON) .venv && touch $(READY)
run: $(READY) ; $(BIN)/antigravity-proxy serve
demo: $(READY) ; $(BIN)/python examples/demo.py
check: $(READY) ; ./.ci/check $(BIN)
types: $(READY) ; $(BIN)/mypy && $(BIN)/pyright
test: check cover
test-clients: $(READY) ; $(BIN)/pytest -m programs tests/e2e/programs
cover: $(READY) ; ./.ci/test $(BIN)
fuzz: $(READY) ; $(BIN)/pytest -q --hypothesis-profile=random tests/accounts tests/catalog tests/oauth tests/provision tests/translate tests/proxy/test_hostile_requests.py tests/proxy/test_hostile_bodies.py
faults: $(READY) ; $(BIN)/python .ci/faults.py
startup: $(READY) ; $(BIN)/python .ci/startup.py
soak: $(READY) ; $(BIN)/python -m tests.load.soak $(SOAK)
kills: $(READY) ; $(BIN)/python .ci/kills.py
schemas: $(READY) ; $(BIN)/python .ci/schemas.py
failover: $(READY) ; $(BIN)/python .ci/failover.py
bench: $(READY) ; $(BIN)/python -m antigravity_proxy.bench $(ARGS)
build: $(READY) ; $(BIN)/python -m build
lock: $(READY) ; $(BIN)/uv pip compile -q --universal --generate-hashes --no-header --python-version 3.11 --extra dev pyproject.toml -o requirements-dev.txt

# Peers for the tests that are written in Python: Anthropic's MCP client and the
# record store Kinto. In $TOOLS/python. Sourced by script/setup.

PYTHON_WANTED=$PROJECT/server/tests/requirements.txt

python_ready() { [[ -x $TOOLS/python/bin/python ]] && stamped python "$(sha256sum <"$PYTHON_WANTED")"; }

python_packages() {
    python_ready || python3 -c 'import ensurepip, venv' 2>/dev/null || printf '%s\n' python3 python3-venv
}

setup_python() {
    python_ready && return
    say "python: installing $(grep -v '^#' "$PYTHON_WANTED" | tr '\n' ' ')"
    python3 -m venv --clear "$TOOLS/python"
    "$TOOLS/python/bin/pip" install --quiet --disable-pip-version-check -r "$PYTHON_WANTED"
    stamp python "$(sha256sum <"$PYTHON_WANTED")"
}

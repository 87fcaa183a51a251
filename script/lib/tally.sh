# Runs the parts of script/test and counts. Sourced by it.

PASSED=0
FAILED=0

# check NAME COMMAND...: counts as one test.
check() {
    announce "$1"
    if "${@:2}"; then
        PASSED=$((PASSED + 1))
    else
        count_failure "$1"
    fi
}

# runner NAME COMMAND...: a test runner, whose own counts are added.
runner() {
    local log status=0 passed failed
    log=$(mktemp)
    announce "$1"
    "${@:2}" 2>&1 | tee "$log" || status=$?
    passed=$(last_count passed "$log")
    failed=$(last_count failed "$log")
    rm -f "$log"
    PASSED=$((PASSED + passed))
    FAILED=$((FAILED + failed))
    if ((status && !failed)); then
        count_failure "$1"
    elif ((!status && !passed)); then
        say "no test ran"
        count_failure "$1"
    fi
}

announce() { printf '\n== %s\n' "$1"; }

count_failure() {
    printf 'FAILED: %s\n' "$1"
    FAILED=$((FAILED + 1))
}

# The number before the word, where the runner last said it.
last_count() {
    local found
    found=$(grep -oE "[0-9]+ $1\b" "$2" | tail -n1 | cut -d' ' -f1) || true
    printf '%s' "${found:-0}"
}

# The last line of all; fails if anything did.
closing_line() {
    printf '\n%s passed, %s failed\n' "$PASSED" "$FAILED"
    ((FAILED == 0))
}

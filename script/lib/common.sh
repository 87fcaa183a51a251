# What every script here needs: where things are and how to talk.
# Sourced, never run.

PROJECT=$(cd "$(dirname "${BASH_SOURCE[0]}")/../.." && pwd)
TOOLS=${COUNTERSIGN_TOOLS_DIR:-$PROJECT/.tools}
export COUNTERSIGN_TOOLS_DIR=$TOOLS

say() { printf '%s\n' "$*" >&2; }
die() { say "error: $*"; exit 1; }

# The version of a crate that Cargo.lock names.
locked_version() {
    awk -v want="name = \"$1\"" '$0 == want { getline; gsub(/version = |"/, ""); print; exit }' "$PROJECT/Cargo.lock"
}

# A stamp remembers what a step was made from: the step is skipped while that
# has not changed. `stamped NAME VALUE` asks, `stamp NAME VALUE` remembers.
stamped() { [[ -f $TOOLS/stamps/$1 && $(<"$TOOLS/stamps/$1") == "$2" ]]; }
stamp() { mkdir -p "$TOOLS/stamps" && printf '%s\n' "$2" >"$TOOLS/stamps/$1"; }

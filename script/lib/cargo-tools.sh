# Programs that come from crates.io, in $TOOLS/bin. Sourced by script/setup.

CARGO_LEPTOS=0.3.11
CARGO_NEXTEST=0.9.151
CARGO_DENY=0.20.2

# cargo_tool NAME VERSION [cargo-install options...]
cargo_tool() {
    local name=$1 version=$2
    shift 2
    if [[ -x $TOOLS/bin/${name%-cli} ]] && stamped "$name" "$version"; then
        return
    fi
    say "$name $version: compiling"
    # Unoptimised and without debug information: these compile several times
    # faster so, and none of them works long enough for its own speed to matter.
    CARGO_TARGET_DIR=$TOOLS/build CARGO_PROFILE_DEV_DEBUG=0 \
        cargo install "$name" --version "$version" --debug --quiet --force --no-track --root "$TOOLS" "$@"
    stamp "$name" "$version"
}

setup_build_tools() {
    # Its feature stops it from downloading the programs that are set up here.
    cargo_tool cargo-leptos "$CARGO_LEPTOS" --locked --features no_downloads
    # Must be exactly the version of the library. Not --locked, since its lock
    # file can name versions that a mirror of crates.io does not serve yet.
    cargo_tool wasm-bindgen-cli "$(locked_version wasm-bindgen)"
}

setup_test_tools() {
    command -v cargo-nextest >/dev/null || cargo_tool cargo-nextest "$CARGO_NEXTEST" --locked
    command -v cargo-deny >/dev/null || cargo_tool cargo-deny "$CARGO_DENY" --locked
}

# What the compilations above left is of no use once they are done.
discard_build_files() {
    rm -rf "$TOOLS/build"
}

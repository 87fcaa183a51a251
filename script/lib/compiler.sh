# The Rust compiler with a standard library for WebAssembly, in $TOOLS/toolchain.
# Sourced by script/setup.
#
# Two ways, tried in this order:
#   1. rustup's stable toolchain, when it is new enough and has (or can add)
#      the wasm32 target, clippy and rustfmt;
#   2. Debian's packages of the same compiler, which bring the source of the
#      standard library: the part for wasm32 is compiled once from that.
# The result is one directory with a `bin` to put first on PATH. It is not
# registered with rustup, so that several clones on a machine stay apart.

RUST_AT_LEAST=1.96
WASM=wasm32-unknown-unknown
LLD=22
DEBIAN_COMPILER=(rustc-web cargo-web rust-web-src rust-web-clippy rustfmt-web "lld-$LLD")

compiler_ready() {
    local toolchain=$TOOLS/toolchain
    [[ -x $toolchain/bin/rustc ]] && stamped compiler "$("$toolchain/bin/rustc" --version) $toolchain"
}

# Rust links with the C compiler, and the cryptography (ring) is partly C.
compiler_packages() {
    unless_found cc gcc libc6-dev
    compiler_ready || rustup_can || printf '%s\n' "${DEBIAN_COMPILER[@]}"
}

setup_compiler() {
    compiler_ready && return
    local toolchain=$TOOLS/toolchain
    rm -rf "$toolchain"
    if rustup_can; then
        say "compiler: rustup's stable"
        ln -s "$(rustup run stable rustc --print sysroot)" "$toolchain"
    else
        say "compiler: Debian's packages (rustup has no $WASM target for Rust $RUST_AT_LEAST here)"
        compiler_from_debian "$toolchain"
    fi
    stamp compiler "$("$toolchain/bin/rustc" --version) $toolchain"
}

version_at_least() { [[ $(printf '%s\n%s\n' "$1" "$2" | sort -V | head -n1) == "$1" ]]; }

rustup_can() {
    command -v rustup >/dev/null || return 1
    local version
    version=$(rustup run stable rustc --version 2>/dev/null | cut -d' ' -f2) || return 1
    version_at_least "$RUST_AT_LEAST" "$version" || return 1
    timeout 300 rustup target add --toolchain stable $WASM >/dev/null 2>&1 || return 1
    timeout 300 rustup component add --toolchain stable clippy rustfmt >/dev/null 2>&1
}

compiler_from_debian() {
    local toolchain=$1 rustlib=$1/lib/rustlib host
    host=$(/usr/bin/rustc --version --verbose | sed -n 's/^host: //p')
    mkdir -p "$toolchain/bin" "$rustlib/$host/bin"
    ln -s "/usr/lib/rustlib/$host/lib" "$rustlib/$host/lib"
    ln -s "/usr/bin/lld-$LLD" "$rustlib/$host/bin/rust-lld"
    # Debian's programs take /usr for their sysroot, where no wasm32 library
    # is. cargo and the formatter do not care, the others are told.
    ln -s /usr/bin/cargo /usr/bin/rustfmt /usr/bin/cargo-fmt "$toolchain/bin/"
    local program
    for program in rustc rustdoc; do
        wrapper "$toolchain/bin/$program" "exec /usr/bin/$program --sysroot '$toolchain' \"\$@\""
    done
    for program in cargo-clippy clippy-driver; do
        wrapper "$toolchain/bin/$program" "SYSROOT='$toolchain' exec /usr/bin/$program \"\$@\""
    done
    wasm_library "$rustlib/$WASM/lib"
}

wrapper() {
    printf '#!/bin/sh\n%s\n' "$2" >"$1"
    chmod +x "$1"
}

# Compiles the standard library for wasm32 as the dependency of an empty crate
# and keeps the libraries.
wasm_library() {
    local into=$1 scratch
    say "compiler: building the standard library for $WASM (about a minute)"
    scratch=$(mktemp -d "$TOOLS/wasm-std.XXXXXX")
    mkdir "$scratch/src"
    printf '[package]\nname = "countersign_empty"\nversion = "0.0.0"\nedition = "2024"\n[workspace]\n' >"$scratch/Cargo.toml"
    printf '#![no_std]\n' >"$scratch/src/lib.rs"
    (
        cd "$scratch"
        # The bootstrap variable lets a released compiler use build-std.
        RUSTC=/usr/bin/rustc RUSTC_BOOTSTRAP=1 CARGO_TARGET_DIR=$scratch/target CARGO_INCREMENTAL=0 \
            CARGO_TARGET_WASM32_UNKNOWN_UNKNOWN_LINKER=/usr/bin/wasm-ld-$LLD \
            /usr/bin/cargo build --quiet -Z build-std=std,panic_abort --target $WASM --release
    )
    mkdir -p "$into"
    find "$scratch/target/$WASM/release/deps" -name 'lib*.rlib' ! -name 'libcountersign_empty*' -exec cp {} "$into" \;
    rm -rf "$scratch"
}

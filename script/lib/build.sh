# The one build that people try out, and the browser's and the end-to-end tests:
# the browser's half optimised for size, the server's half as the tests have it,
# so that it is compiled once. Sourced by script/run and script/test.

BUILT=${CARGO_TARGET_DIR:-$PROJECT/target}
COUNTERSIGN=$BUILT/debug/countersign

# Asking cargo whether anything changed takes longer than looking.
build_product() {
    local built=$BUILT/debug/.countersign-built changed=yes
    if [[ -f $built && -x $COUNTERSIGN && -d $PROJECT/target/site/pkg ]]; then
        changed=$(cd "$PROJECT" && find app server/src server/domain style/main.css public migrations .sqlx \
            Cargo.toml Cargo.lock server/Cargo.toml -newer "$built" -print -quit)
    fi
    [[ $changed ]] || return 0
    say "build: the first time takes some minutes"
    local began
    began=$(mktemp)
    (cd "$PROJECT" && SQLX_OFFLINE=true cargo leptos build --release) || return
    mv "$began" "$built"
}

# What the browser must load before a page is alive. Sourced by script/test.

FIRST_LOAD_LIMIT=130000

# The WebAssembly and the JavaScript, as they travel: compressed with brotli.
# Their names carry a hash, which the build notes beside the server.
first_load_fits() {
    local kind hash file size total=0
    while read -r kind hash; do
        [[ $kind == wasm: || $kind == js: ]] || continue
        file=$PROJECT/target/site/pkg/countersign.$hash.${kind%:}
        size=$(brotli --quality=11 --stdout "$file" | wc -c)
        printf '%8s bytes  %s\n' "$size" "${file##*/}"
        total=$((total + size))
    done <"$BUILT/debug/hash.txt"
    printf '%8s bytes of at most %s\n' "$total" "$FIRST_LOAD_LIMIT"
    ((total > 0 && total <= FIRST_LOAD_LIMIT))
}

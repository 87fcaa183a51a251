# Programs that come from npm: Tailwind and wasm-opt for the build, a browser
# driver and an MCP client for the tests. Sourced by script/setup.

NODE_AT_LEAST=20

node_packages() { unless_found npm nodejs npm; }

check_node() {
    local version
    version=$(node --version)
    version_at_least "v$NODE_AT_LEAST" "$version" ||
        die "Node $version is too old; install Node $NODE_AT_LEAST or newer and run this again"
}

# npm_packages NAME DIR: installs what DIR/package-lock.json lists and lets
# DIR/node_modules lead there, so that clones with the same tools share it.
npm_packages() {
    local name=$1 dir=$PROJECT/$2 into=$TOOLS/npm/$1 lock
    lock=$(sha256sum <"$dir/package-lock.json")
    if ! { [[ -d $into/node_modules ]] && stamped "npm-$name" "$lock"; }; then
        check_node
        say "npm: installing the packages of $2"
        mkdir -p "$into"
        cp "$dir/package.json" "$dir/package-lock.json" "$into/"
        # No package here needs its install script; a browser is set up apart.
        npm --prefix "$into" ci --ignore-scripts --no-audit --no-fund --loglevel=error >/dev/null
        stamp "npm-$name" "$lock"
    fi
    [[ $(readlink "$dir/node_modules") == "$into/node_modules" ]] ||
        ln -sfnT "$into/node_modules" "$dir/node_modules"
}

# Where PostgreSQL's programs are. Sourced by script/setup and script/test.

# Debian keeps them off PATH, one directory for each version: the newest wins.
postgres_bin() {
    local dirs
    dirs=$(compgen -G '/usr/lib/postgresql/*/bin' | sort -V | tail -n1) || true
    if [[ -n $dirs && -x $dirs/postgres ]]; then
        printf '%s\n' "$dirs"
    elif command -v postgres >/dev/null; then
        dirname "$(command -v postgres)"
    else
        return 1
    fi
}

postgres_packages() { postgres_bin >/dev/null || printf 'postgresql\n'; }

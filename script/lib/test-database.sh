# A PostgreSQL for one run of the tests: in memory's speed, gone afterwards.
# Sourced by script/test and script/sqlx, after common.sh and postgres.sh.

# Starts it, applies the migrations and sets DATABASE_URL.
start_test_database() {
    TEST_DATABASE=$(mktemp -d "${TMPDIR:-/tmp}/countersign-test.XXXXXX")
    trap stop_test_database EXIT
    # PostgreSQL does not run as root.
    AS_POSTGRES=()
    if ((EUID == 0)); then
        local user=postgres
        id -u postgres >/dev/null 2>&1 || user=nobody
        chown "$user" "$TEST_DATABASE"
        AS_POSTGRES=(setpriv --reuid "$user" --regid "$(id -g "$user")" --clear-groups)
    fi
    POSTGRES_BIN=$(postgres_bin)
    test_database_program initdb --auth=trust --username=postgres --encoding=UTF8 --locale=C.UTF-8 --no-sync \
        --pgdata "$TEST_DATABASE/data" >"$TEST_DATABASE/initdb.log"
    # Many tests at once, each with a database and some connections of its own.
    printf '%s\n' "listen_addresses = ''" "unix_socket_directories = '$TEST_DATABASE'" "port = 5432" \
        "fsync = off" "synchronous_commit = off" "full_page_writes = off" "max_connections = 300" |
        test_database_program tee -a "$TEST_DATABASE/data/postgresql.conf" >/dev/null
    test_database_program pg_ctl start --silent --wait --pgdata "$TEST_DATABASE/data" --log "$TEST_DATABASE/log" ||
        die "the test database did not start: $(tail -n5 "$TEST_DATABASE/log")"
    test_psql postgres -c 'create role countersign_owner login' -c 'create role countersign_server login' \
        -c 'create database countersign owner countersign_owner'
    local migration
    for migration in "$PROJECT"/migrations/*.sql; do
        test_psql countersign --single-transaction --file "$migration"
    done
    export DATABASE_URL="postgres:///countersign?host=$TEST_DATABASE&user=postgres"
}

stop_test_database() {
    test_database_program pg_ctl stop --silent --mode=immediate --pgdata "$TEST_DATABASE/data" || true
    rm -rf "$TEST_DATABASE"
}

test_database_program() {
    (
        cd /
        program=$POSTGRES_BIN/$1
        [[ -x $program ]] || program=$1
        exec "${AS_POSTGRES[@]}" "$program" "${@:2}"
    )
}

test_psql() {
    PGOPTIONS='-c client_min_messages=warning' psql --no-psqlrc --quiet --set ON_ERROR_STOP=1 \
        --host "$TEST_DATABASE" --port 5432 --username postgres --dbname "$@"
}

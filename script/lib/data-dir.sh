# Where script/run keeps its data. Sourced by it.

# Sets COUNTERSIGN_DATA_DIR: .data in the project. PostgreSQL does not run as
# root, so for root, whose home often nobody else may enter, it can be elsewhere.
choose_data_dir() {
    [[ -z ${COUNTERSIGN_DATA_DIR:-} ]] || return 0
    COUNTERSIGN_DATA_DIR=$PROJECT/.data
    local user=postgres
    ((EUID == 0)) || return 0
    id -u postgres >/dev/null 2>&1 || user=nobody
    if ! setpriv --reuid "$user" --clear-groups --regid "$(id -g "$user")" test -x "$PROJECT"; then
        COUNTERSIGN_DATA_DIR=/var/lib/countersign
        say "data: in $COUNTERSIGN_DATA_DIR, since PostgreSQL's user $user may not enter $PROJECT"
    fi
}

# Packages of the operating system. Sourced by script/setup.
#
# Each part of the setup has a function X_packages that prints what it lacks, so
# that all of it is installed, or asked for, at once.

package_installed() { [[ $(dpkg-query -W -f '${db:Status-Status}' "$1" 2>/dev/null) == installed ]]; }

# Installs those of the named packages that are missing, or says which.
need_packages() {
    local missing=() package
    for package in "$@"; do
        package_installed "$package" || missing+=("$package")
    done
    ((${#missing[@]})) || return 0
    command -v apt-get >/dev/null || die "this machine has no apt; install what these Debian packages hold: ${missing[*]}"
    ((EUID == 0)) || die "these packages are missing; run: sudo apt-get install ${missing[*]}"
    say "packages: installing ${missing[*]}"
    apt-get update -qq
    DEBIAN_FRONTEND=noninteractive apt-get install -y -qq --no-install-recommends "${missing[@]}" >/dev/null
}

# unless_found PROGRAM PACKAGE...: prints the packages if there is no such program.
unless_found() {
    command -v "$1" >/dev/null || printf '%s\n' "${@:2}"
}

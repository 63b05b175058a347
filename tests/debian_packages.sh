# shellcheck shell=sh
# Sourced by the scripts that work on a bare Debian 12 or 13.

# need PACKAGE...: installs those that are missing, as root or through sudo. Silent and offline when none is.
need() {
    if ! command -v dpkg-query >/dev/null; then
        echo "This is no Debian system: if something is missing below, install what corresponds to: $*" >&2
        return
    fi
    missing=
    for package in "$@"; do
        case $(dpkg-query --show --showformat='${db:Status-Status}' "$package" 2>/dev/null) in
        installed) ;;
        *) missing="$missing $package" ;;
        esac
    done
    [ -n "$missing" ] || return 0

    as_root=
    if [ "$(id -u)" -ne 0 ]; then
        as_root=sudo
        if ! command -v sudo >/dev/null; then
            echo "As root, run: apt-get install$missing" >&2
            exit 1
        fi
    fi
    $as_root apt-get -q update
    # shellcheck disable=SC2086 # a list
    $as_root env DEBIAN_FRONTEND=noninteractive apt-get -qy install --no-install-recommends $missing
}

# SPDX-License-Identifier: GPL-2.0-or-later
# What quickstart and runtests share: installing what is missing on a Debian
# machine, and building in a folder.

# What the build needs; what the tests need is in runtests.
build_packages=(gcc make autoconf automake libtool pkg-config
	libblkid-dev uuid-dev libsmartcols-dev zlib1g-dev libjson-c-dev
	libutf8proc-dev)

say() {
	printf '\n== %s\n' "$*"
}

die() {
	echo "${0##*/}: $*" >&2
	exit 1
}

as_root() {
	if [ "$(id -u)" = 0 ]; then
		"$@"
	else
		command -v sudo >/dev/null || die "to install packages, run as root or install sudo"
		sudo "$@"
	fi
}

is_installed() {
	[ "$(dpkg-query -W -f '${db:Status-Status}' "$1" 2>/dev/null)" = installed ] && return
	# "pkg-config" and others may be provided by a package of another name.
	dpkg-query -W -f '${db:Status-Status} ${Provides}\n' |
		grep -Eq "^installed .*(^|[ ,])$1( |,|$)"
}

# Install those of the packages that are missing, and say which.
install_missing() {
	local missing=() p

	if ! command -v dpkg-query >/dev/null; then
		echo "Not a Debian machine; these packages, by their names there, are needed: $*"
		return
	fi
	for p in "$@"; do
		is_installed "$p" || missing+=("$p")
	done
	[ ${#missing[@]} -gt 0 ] || return 0
	say "Installing: ${missing[*]}"
	as_root env DEBIAN_FRONTEND=noninteractive apt-get update -qq ||
		die "apt-get update failed"
	as_root env DEBIAN_FRONTEND=noninteractive apt-get install -y -qq \
		--no-install-recommends "${missing[@]}" >/dev/null ||
		die "apt-get could not install ${missing[*]}"
}

# build FOLDER [CONFIGURE-OPTION...]: configure once, make always.
build() {
	local folder=$1

	shift
	[ -x configure ] || ./autogen.sh >/dev/null 2>&1 || ./autogen.sh
	mkdir -p "$folder"
	(
		cd "$folder" || exit
		[ -f Makefile ] || ../configure "$@" >configure.out 2>&1 || {
			tail -n 30 configure.out
			exit 1
		}
		make -s -j "$(nproc)"
	) || {
		echo "${0##*/}: the build in $folder failed" >&2
		return 1
	}
}

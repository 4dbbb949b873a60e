# SPDX-License-Identifier: GPL-2.0-or-later
# --help and the man page name the same options, in the same words.

load ../lib/common

# The left column of each option, as "-n, --dry-run" or "--size=SIZE".
help_options() {
	"$@" --help | sed -nE 's/^ {2,6}(-[^ ].*)$/\1/p' | sed -E 's/ {2,}.*//'
}

help_commands() {
	"$1" --help | sed -n '/^Commands:/,/^$/s/^  \([a-z][a-z-]*\) .*/\1/p'
}

# The tags of the page that are options; of one command's part with $2. A font
# is "\fB", a dash "\-".
man_options() {
	awk -v part="${2-}" '
		/^\.S[HS]/ {
			here = part == "" ? $0 !~ /^\.SS/ && !commands \
				: $0 == ".SS " part
			if (/^\.SH/) {
				commands = /^\.SH "?COMMANDS/
				if (part == "") here = !commands
			}
		}
		tag && here { print }
		{ tag = /^\.TP/ }
	' "$top_srcdir/man/$1.8" |
		sed -E 's/\\f[BRIP]//g; s/\\-/-/g; s/\\&//g' | grep '^-'
}

compare() {
	local program=$1 prog=$2 cmd from_help from_man

	[ -x "$program" ]
	from_help=$(help_options "$program" | sort)
	from_man=$(man_options "$prog" | sort)
	[ -n "$from_help" ]
	diff <(echo "$from_help") <(echo "$from_man")
	for cmd in $(help_commands "$program"); do
		echo "command $cmd:"
		# -h and -V stand once in the page, for all commands.
		from_help=$(help_options "$program" "$cmd" |
			grep -Ev -- '^-(h, --help|V, --version)$' | sort)
		from_man=$(man_options "$prog" "$cmd" | sort)
		diff <(echo "$from_help") <(echo "$from_man")
	done
}

@test "mkfs.f2fs: --help and man page agree" {
	compare "$MKFS" mkfs.f2fs
}

@test "fsck.f2fs: --help and man page agree" {
	compare "$FSCK" fsck.f2fs
}

@test "gcctl.f2fs: --help and man page agree" {
	compare "$GCCTL" gcctl.f2fs
}

@test "defrag.f2fs: --help and man page agree" {
	compare "$DEFRAG" defrag.f2fs
}

@test "man pages are well formed" {
	need groff
	for page in "$top_srcdir"/man/*.[38]; do
		run groff -man -Tascii -ww -z "$page"
		echo "$page: $output"
		[ "$status" -eq 0 ]
		[ -z "$output" ]
	done
}

@test "f2core(3) names each function of f2core.h" {
	[ "$(api_functions | wc -l)" -ge 10 ]
	for name in $(api_functions); do
		grep -q "[ \"]$name\"* ()" "$top_srcdir/man/f2core.3" || {
			echo "missing: $name"
			return 1
		}
	done
}

@test "the example of f2core(3) compiles" {
	need "${CC:-cc}"
	sed -n '/^\.EX/,/^\.EE/p' "$top_srcdir/man/f2core.3" |
		sed '/^\.E/d; s/\\e/\\/g' >"$BATS_TEST_TMPDIR/example.c"
	[ -s "$BATS_TEST_TMPDIR/example.c" ]
	${CC:-cc} -std=c11 -Wall -Wextra -Werror -fsyntax-only \
		-I"$top_srcdir/lib/api" "$BATS_TEST_TMPDIR/example.c"
}

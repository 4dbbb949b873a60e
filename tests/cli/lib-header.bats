# SPDX-License-Identifier: GPL-2.0-or-later
# The installed header stands alone, and the map lists what it declares.

load ../lib/common

header=$top_srcdir/lib/api/f2core.h

@test "f2core.h compiles alone as C11" {
	${CC:-cc} -std=c11 -pedantic -Wall -Wextra -Werror -fsyntax-only \
		-x c "$header"
}

@test "f2core.h compiles alone as C++" {
	need "${CXX:-c++}"
	${CXX:-c++} -std=c++17 -pedantic -Wall -Wextra -Werror -fsyntax-only \
		-x c++ "$header"
}

# The functions that the header declares, the map lists, the library exports.
mapped() {
	sed -n 's/^\t*\(f2c_[a-z0-9_]*\);$/\1/p' \
		"$top_srcdir/lib/libf2core.map" | sort
}

exported() {
	nm -D --defined-only "$top_builddir/lib/.libs/libf2core.so" |
		sed -n 's/.* T \(f2c_[a-z0-9_]*\)@.*/\1/p' | sort
}

@test "the map lists each function that the header declares" {
	[ "$(api_functions | wc -l)" -ge 10 ]
	diff <(api_functions) <(mapped)
}

@test "the library exports each function that the header declares" {
	diff <(api_functions) <(exported)
}

@test "a program that includes f2core.h runs with the library of its version" {
	need "${CC:-cc}"
	cat >"$BATS_TEST_TMPDIR/prog.c" <<-'END'
		#include <f2core.h>
		#include <stdio.h>
		int main(void)
		{
			struct f2c_ctx *ctx = f2c_ctx_new();

			printf("%s '%s'\n", f2c_version(), f2c_error(ctx));
			f2c_ctx_free(ctx);
			return 0;
		}
	END
	# A library with sanitizers needs them in the program too.
	for s in asan=address ubsan=undefined; do
		! nm -D "$top_builddir/lib/.libs/libf2core.so" |
			grep -q " U __${s%=*}_" || sanitize+=" -fsanitize=${s#*=}"
	done
	${CC:-cc} $sanitize -I"$top_srcdir/lib/api" -o "$BATS_TEST_TMPDIR/prog" \
		"$BATS_TEST_TMPDIR/prog.c" -L"$top_builddir/lib/.libs" -lf2core
	run env LD_LIBRARY_PATH="$top_builddir/lib/.libs" \
		"$BATS_TEST_TMPDIR/prog"
	[ "$status" -eq 0 ]
	[[ $output =~ ^[0-9]+\.[0-9]+\.[0-9]+\ \'\'$ ]]
}

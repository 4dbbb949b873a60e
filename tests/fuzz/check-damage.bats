# SPDX-License-Identifier: GPL-2.0-or-later
# Random damage: the check ends, whatever it finds (F2CORE_FUZZ_ROUNDS for more).

load ../check/check

@test "R1 a volume with random damage is checked to the end" {
	seed=${F2CORE_FUZZ_SEED:-$((RANDOM * 32768 + RANDOM))}
	rounds=${F2CORE_FUZZ_ROUNDS:-150}
	echo "seeds from $seed on"
	run timeout 600 "$top_builddir/tests/fuzz/check-damage" "$good" \
		"$seed" "$rounds"
	echo "$output" | tail -c 4000
	[ "$status" -eq 0 ]
}

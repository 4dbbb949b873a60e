# SPDX-License-Identifier: GPL-2.0-or-later
# Where the judges are and how they are asked; for bats files and scripts.

J=${F2CORE_JUDGE_DIR:-$HOME/.cache/f2core-judge}

# SPDX-License-Identifier: GPL-2.0-or-later
# Measurements, run by hand.
EXTRA_DIST += %D%/move-speed
EXTRA_DIST += %D%/fsck-speed
EXTRA_DIST += %D%/defrag-speed
EXTRA_DIST += %D%/hot-cold-kernel
EXTRA_DIST += %D%/real-tree

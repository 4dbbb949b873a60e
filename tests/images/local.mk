# SPDX-License-Identifier: GPL-2.0-or-later
bats_tests += %D%/aged.bats

EXTRA_DIST += %D%/README.md
EXTRA_DIST += %D%/make-aged
EXTRA_DIST += %D%/aged.img.xz
EXTRA_DIST += %D%/aged.manifest.xz
EXTRA_DIST += %D%/aged.fiemap.xz

EXTRA_DIST += %D%/make-unclean
EXTRA_DIST += %D%/pending.img.xz
EXTRA_DIST += %D%/orphans.img.xz

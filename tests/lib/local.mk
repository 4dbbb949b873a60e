# SPDX-License-Identifier: GPL-2.0-or-later
EXTRA_DIST += %D%/common.bash %D%/run-bats \
	%D%/fiemap.py %D%/manifest.py %D%/voltree.py %D%/workload.py \
	%D%/segments.py

# SPDX-License-Identifier: GPL-2.0-or-later
EXTRA_DIST += %D%/README.md %D%/make-aged \
	%D%/aged.img.xz %D%/aged.manifest.xz %D%/aged.fiemap.xz

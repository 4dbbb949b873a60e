# SPDX-License-Identifier: GPL-2.0-or-later
dist_man_MANS += \
	%D%/defrag.f2fs.8 \
	%D%/f2core.3 \
	%D%/fsck.f2fs.8 \
	%D%/gcctl.f2fs.8 \
	%D%/mkfs.f2fs.8

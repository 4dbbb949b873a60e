# SPDX-License-Identifier: GPL-2.0-or-later
# libf2core: every object goes into one internal archive, which the unit tests
# link too; the library proper is that archive behind the symbol map.

noinst_LTLIBRARIES += %D%/libf2core-int.la
lib_libf2core_int_la_SOURCES =
lib_libf2core_int_la_CPPFLAGS = $(AM_CPPFLAGS)
lib_libf2core_int_la_CFLAGS = $(AM_CFLAGS) \
	$(BLKID_CFLAGS) $(UUID_CFLAGS) $(ZLIB_CFLAGS) $(UTF8PROC_CFLAGS)
lib_libf2core_int_la_LIBADD = $(BLKID_LIBS) $(UUID_LIBS) $(ZLIB_LIBS) \
	$(UTF8PROC_LIBS)

lib_LTLIBRARIES += %D%/libf2core.la
lib_libf2core_la_SOURCES =
lib_libf2core_la_LIBADD = %D%/libf2core-int.la
lib_libf2core_la_LDFLAGS = $(AM_LDFLAGS) -no-undefined \
	-version-info $(F2CORE_LT_VERSION) \
	-Wl,--version-script=$(top_srcdir)/%D%/libf2core.map
EXTRA_lib_libf2core_la_DEPENDENCIES = %D%/libf2core.map
EXTRA_DIST += %D%/libf2core.map

pkgconfig_DATA += %D%/f2core.pc

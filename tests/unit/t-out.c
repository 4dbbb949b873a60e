/* SPDX-License-Identifier: GPL-2.0-or-later */
/* One set of calls, two forms: what text and JSON look like. */
#include "config.h"

#include "tool/out.h"

#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

static const struct out_column columns[] = {
	{ "segno", "SEGMENT", true },
	{ "type", "TYPE", false },
	{ "free_bytes", "FREE", true },
	{ 0 },
};

static void report(struct out *out, const char *chosen)
{
	out_str(out, "volume", "Volume", "a\x1b[31m\xff\xc3\xa4.img");
	out_u64(out, "valid_blocks", "Valid blocks", UINT64_MAX);
	out_size(out, "capacity_bytes", "Capacity", 3ULL << 29);
	out_bool(out, "clean", "Clean", true);
	out_null(out, "label", "Label");
	out_begin_object(out, "phases", "Phases");
	out_double(out, "nat_flush_ms", "NAT", 1.25, 2);
	out_double(out, "sync_ms", "Sync", (double)NAN, 2);
	out_i64(out, "sit_flush_ms", "SIT", -3);
	out_end_object(out);
	out_begin_array(out, "sizes", NULL);
	out_u64(out, NULL, NULL, 7);
	out_str(out, NULL, NULL, "x");
	out_end_array(out);
	out_text(out, "%d findings", 0);
	out_table_begin(out, "segments", NULL, columns, chosen);
	out_row(out);
	out_cell_u64(out, 12);
	out_cell_str(out, "hot data");
	out_cell_size(out, 2048);
	out_row(out);
	out_cell_u64(out, 3);
	out_cell_null(out);
	out_cell_size(out, 0);
	out_table_end(out);
	out_u64(out, "exit_status", NULL, 0);
}

static char *render(enum out_mode mode, const char *chosen)
{
	char *text = NULL;
	size_t size;
	FILE *to = open_memstream(&text, &size);
	struct out *out = out_new(mode, to);

	assert_non_null(out);
	report(out, chosen);
	assert_int_equal(out_end(out), 0);
	fclose(to);
	return text;
}

static void text_is_aligned(void **state)
{
	char *text = render(OUT_TEXT, NULL);

	(void)state;
	assert_string_equal(text,
"Volume:       a\\x1b[31m\\xff\xc3\xa4.img\n"
"Valid blocks: 18446744073709551615\n"
"Capacity:     1.5 GiB\n"
"Clean:        yes\n"
"Label:        unknown\n"
"\n"
"Phases:\n"
"  NAT:  1.25\n"
"  Sync: unknown\n"
"  SIT:  -3\n"
"0 findings\n"
"\n"
"SEGMENT TYPE      FREE\n"
"     12 hot data 2 KiB\n"
"      3 -          0 B\n");
	free(text);
}

static void json_is_one_document(void **state)
{
	char *text = render(OUT_JSON, NULL);

	(void)state;
	assert_string_equal(text,
"{\n"
"  \"schema\":1,\n"
"  \"volume\":\"a\\u001b[31m\\\\xff\xc3\xa4.img\",\n"
"  \"valid_blocks\":18446744073709551615,\n"
"  \"capacity_bytes\":1610612736,\n"
"  \"clean\":true,\n"
"  \"label\":null,\n"
"  \"phases\":{\n"
"    \"nat_flush_ms\":1.25,\n"
"    \"sync_ms\":null,\n"
"    \"sit_flush_ms\":-3\n"
"  },\n"
"  \"sizes\":[\n"
"    7,\n"
"    \"x\"\n"
"  ],\n"
"  \"segments\":[\n"
"    {\"segno\":12,\"type\":\"hot data\",\"free_bytes\":2048},\n"
"    {\"segno\":3,\"type\":null,\"free_bytes\":0}\n"
"  ],\n"
"  \"exit_status\":0\n"
"}\n");
	free(text);
}

static void quiet_prints_nothing(void **state)
{
	char *text = render(OUT_NONE, NULL);

	(void)state;
	assert_string_equal(text, "");
	free(text);
}

static void chosen_columns_in_their_order(void **state)
{
	char *text = render(OUT_TEXT, "free_bytes,segno");

	(void)state;
	assert_non_null(strstr(text, "\n FREE SEGMENT\n2 KiB      12\n"));
	free(text);
	text = render(OUT_JSON, "segno");
	assert_null(strstr(text, "hot data"));
	free(text);
}

static void unknown_columns_are_found(void **state)
{
	(void)state;
	assert_null(out_unknown_column(columns, "segno"));
	assert_null(out_unknown_column(columns, "type,segno"));
	assert_string_equal(out_unknown_column(columns, "type,seg,type"),
			    "seg,type");
	assert_non_null(out_unknown_column(columns, ""));
	assert_non_null(out_unknown_column(columns, "type,"));
}

/* The widest is in the first piece: what follows stands under it. */
static void a_long_table_has_one_head_and_even_columns(void **state)
{
	char *text = NULL, *line, *rest;
	size_t size, nr = 0;
	FILE *to = open_memstream(&text, &size);
	struct out *out = out_new(OUT_TEXT, to);

	(void)state;
	out_table_begin(out, "segments", NULL, columns, NULL);
	for (unsigned int i = 0; i < 2500; i++) {
		out_row(out);
		out_cell_u64(out, i);
		out_cell_str(out, i ? "x" : "the longest of all");
		out_cell_size(out, 0);
	}
	out_table_end(out);
	assert_int_equal(out_end(out), 0);
	fclose(to);
	for (line = strtok_r(text, "\n", &rest); line;
	     line = strtok_r(NULL, "\n", &rest), nr++) {
		assert_int_equal(strlen(line), strlen("SEGMENT") + 1 +
				 strlen("the longest of all") + 1 + 4);
		assert_int_equal(!strncmp(line, "SEGMENT", 7), !nr);
		if (nr)
			assert_int_equal(atoi(line), nr - 1);
	}
	assert_int_equal(nr, 2501);
	free(text);
}

static void a_full_disk_is_reported(void **state)
{
	FILE *to = fopen("/dev/full", "w");
	struct out *out;

	(void)state;
	assert_non_null(to);
	out = out_new(OUT_TEXT, to);
	out_u64(out, "a", "A", 1);
	assert_true(out_end(out) < 0);
	fclose(to);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(text_is_aligned),
		cmocka_unit_test(json_is_one_document),
		cmocka_unit_test(quiet_prints_nothing),
		cmocka_unit_test(chosen_columns_in_their_order),
		cmocka_unit_test(unknown_columns_are_found),
		cmocka_unit_test(a_long_table_has_one_head_and_even_columns),
		cmocka_unit_test(a_full_disk_is_reported),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}

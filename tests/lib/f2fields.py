#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0-or-later
"""Print the fields of both superblocks and both checkpoint packs of a volume.

One `place.field value` a line, read from the raw bytes without any of the
project's code, so that two formatters can be compared with diff:

	f2fields.py IMAGE [--counts]

--counts leaves out what differs from run to run (uuid, versions, checksums).
"""
import struct
import sys

SUPER = [  # name, offset, struct code
    ("magic", 0, "I"), ("major_ver", 4, "H"), ("minor_ver", 6, "H"),
    ("log_sectorsize", 8, "I"), ("log_sectors_per_block", 12, "I"),
    ("log_blocksize", 16, "I"), ("log_blocks_per_seg", 20, "I"),
    ("segs_per_sec", 24, "I"), ("secs_per_zone", 28, "I"),
    ("checksum_offset", 32, "I"), ("block_count", 36, "Q"),
    ("section_count", 44, "I"), ("segment_count", 48, "I"),
    ("segment_count_ckpt", 52, "I"), ("segment_count_sit", 56, "I"),
    ("segment_count_nat", 60, "I"), ("segment_count_ssa", 64, "I"),
    ("segment_count_main", 68, "I"), ("segment0_blkaddr", 72, "I"),
    ("cp_blkaddr", 76, "I"), ("sit_blkaddr", 80, "I"),
    ("nat_blkaddr", 84, "I"), ("ssa_blkaddr", 88, "I"),
    ("main_blkaddr", 92, "I"), ("root_ino", 96, "I"), ("node_ino", 100, "I"),
    ("meta_ino", 104, "I"), ("uuid", 108, "16s"),
    ("volume_name", 124, "1024s"), ("extension_count", 1148, "I"),
    ("extension_list", 1152, "512s"), ("cp_payload", 1664, "I"),
    ("version", 1668, "256s"), ("init_version", 1924, "256s"),
    ("feature", 2180, "I"), ("encryption_level", 2184, "B"),
    ("encrypt_pw_salt", 2185, "16s"), ("devs", 2201, "544s"),
    ("qf_ino", 2745, "12s"), ("hot_ext_count", 2757, "B"),
    ("s_encoding", 2758, "H"), ("s_encoding_flags", 2760, "H"),
    ("s_stop_reason", 2762, "32s"), ("s_errors", 2794, "16s"),
    ("reserved", 2810, "258s"), ("crc", 3068, "I"),
]
CHECKPOINT = [
    ("checkpoint_ver", 0, "Q"), ("user_block_count", 8, "Q"),
    ("valid_block_count", 16, "Q"), ("rsvd_segment_count", 24, "I"),
    ("overprov_segment_count", 28, "I"), ("free_segment_count", 32, "I"),
    ("cur_node_segno", 36, "8I"), ("cur_node_blkoff", 68, "8H"),
    ("cur_data_segno", 84, "8I"), ("cur_data_blkoff", 116, "8H"),
    ("ckpt_flags", 132, "I"), ("cp_pack_total_block_count", 136, "I"),
    ("cp_pack_start_sum", 140, "I"), ("valid_node_count", 144, "I"),
    ("valid_inode_count", 148, "I"), ("next_free_nid", 152, "I"),
    ("sit_ver_bitmap_bytesize", 156, "I"),
    ("nat_ver_bitmap_bytesize", 160, "I"), ("checksum_offset", 164, "I"),
    ("elapsed_time", 168, "Q"), ("alloc_type", 176, "16s"),
]
VARIES = {"uuid", "version", "init_version", "crc", "encrypt_pw_salt",
          "minor_ver", "checkpoint_ver"}


def text(value):
    if isinstance(value, bytes):
        value = value.rstrip(b"\0")
        return value.hex() or "-"
    return str(value)


def fields(table, data):
    for name, off, code in table:
        value = struct.unpack_from("<" + code, data, off)
        yield name, " ".join(text(v) for v in value)


def volume(path):
    """Yield (place, field, text) for all four structures and pack ends."""
    with open(path, "rb") as f:
        f.seek(1024)
        first = f.read(3072)
        size = 1 << struct.unpack_from("<I", first, 16)[0]
        f.seek(size + 1024)
        for place, sb in ("sb0", first), ("sb1", f.read(3072)):
            yield from ((place, n, v) for n, v in fields(SUPER, sb))
        cp = struct.unpack_from("<I", first, 76)[0]
        for pack in 0, 1:
            f.seek((cp + 512 * pack) * size)
            head = f.read(size)
            total = struct.unpack_from("<I", head, 136)[0]
            f.seek((cp + 512 * pack + min(total, 512) - 1) * size)
            place = "cp%d" % pack
            yield from ((place, n, v) for n, v in fields(CHECKPOINT, head))
            yield place, "foot_equals_head", str(f.read(size) == head)


def main():
    counts = "--counts" in sys.argv[2:]
    for place, name, value in volume(sys.argv[1]):
        if not (counts and name in VARIES):
            print("%s.%s %s" % (place, name, value))


if __name__ == "__main__":
    main()

#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0-or-later
"""Change single fields of a volume by name, and sign what encloses them again.

	poke.py IMAGE FIELD=VALUE...
	poke.py IMAGE FIELD...		print them
	poke.py --undo FILE IMAGE ...	first undo what FILE says, and say in it
					how to undo this

VALUE is a number, +N, -N or ^N to add to, subtract from or flip bits of what
is there. Nothing of the project's code is used; blocks are 4096 bytes.

	sb.FIELD  sb1.FIELD  sb2.FIELD	both superblocks, the first, the second
	cp.FIELD  cp1.FIELD  cp2.FIELD	first and last block of the live
					checkpoint pack, of pack 1, of pack 2
	cphead.FIELD  cp1head.FIELD ... cpfoot.FIELD	only the first, the last block
	orphan.N			an ino of the live pack's list
	natj.count  sitj.count		journals of the live pack
	natj.N.FIELD  sitj.N.FIELD
	nat.NID.{version,ino,blk}	in the journal if it is there
	sit.SEGNO.{valid,type,mtime,map.N}
	sum.BLK.{nid,version,ofs}	the summary entry of a block
	sum.BLK.type			and the type of its segment's summary
	node.NID.{nid,ino,flag,ofs,cp_ver,next}  the footer
	node.NID.slot.N			address or nid N of a node
	inode.INO.FIELD			i_ of the format, without "i_"
	inode.INO.{addr.N,nid.N,byte.N}	addr.0 is file block 0
	dentry.DIR.NAME.{hash,ino,len,type,name.N,bit.N}  byte N of the name; the
					bit of its N-th slot, flipped
	raw.BLK.N			a byte, and nothing is signed again
NID and INO may be paths, as inode./d0/sub.mode; BLK may be NID or a path with
'@' before: block of that node; '@@PATH.N': block N of a file.
"""
import struct
import sys
import zlib

B, SEG, MAGIC = 4096, 512, 0xF2F52010


def crc(seed, data):
    return zlib.crc32(data, seed ^ 0xffffffff) ^ 0xffffffff


SB = {"magic": (0, "I"), "log_sectorsize": (8, "I"),
      "log_sectors_per_block": (12, "I"), "log_blocksize": (16, "I"),
      "log_blocks_per_seg": (20, "I"), "segs_per_sec": (24, "I"),
      "secs_per_zone": (28, "I"), "checksum_offset": (32, "I"),
      "block_count": (36, "Q"), "section_count": (44, "I"),
      "segment_count": (48, "I"), "segment_count_ckpt": (52, "I"),
      "segment_count_sit": (56, "I"), "segment_count_nat": (60, "I"),
      "segment_count_ssa": (64, "I"), "segment_count_main": (68, "I"),
      "segment0_blkaddr": (72, "I"), "cp_blkaddr": (76, "I"),
      "sit_blkaddr": (80, "I"), "nat_blkaddr": (84, "I"),
      "ssa_blkaddr": (88, "I"), "main_blkaddr": (92, "I"),
      "root_ino": (96, "I"), "node_ino": (100, "I"), "meta_ino": (104, "I"),
      "uuid": (108, "I"), "volume_name": (124, "H"),
      "extension_count": (1148, "I"), "cp_payload": (1664, "I"),
      "feature": (2180, "I"), "qf_ino": (2745, "I"),
      "hot_ext_count": (2757, "B"), "s_stop_reason": (2762, "B"),
      "s_errors": (2794, "B"), "crc": (3068, "I")}
CP = {"checkpoint_ver": (0, "Q"), "user_block_count": (8, "Q"),
      "valid_block_count": (16, "Q"), "rsvd_segment_count": (24, "I"),
      "overprov_segment_count": (28, "I"), "free_segment_count": (32, "I"),
      "cur_node_segno": (36, "I"), "cur_node_blkoff": (68, "H"),
      "cur_data_segno": (84, "I"), "cur_data_blkoff": (116, "H"),
      "ckpt_flags": (132, "I"), "cp_pack_total_block_count": (136, "I"),
      "cp_pack_start_sum": (140, "I"), "valid_node_count": (144, "I"),
      "valid_inode_count": (148, "I"), "next_free_nid": (152, "I"),
      "sit_ver_bitmap_bytesize": (156, "I"),
      "nat_ver_bitmap_bytesize": (160, "I"), "checksum_offset": (164, "I"),
      "elapsed_time": (168, "Q"), "alloc_type": (176, "B")}
NAT = {"version": (0, "B"), "ino": (1, "I"), "blk": (5, "I")}
SUM = {"nid": (0, "I"), "version": (4, "B"), "ofs": (5, "H")}
FOOT = {"nid": (0, "I"), "ino": (4, "I"), "flag": (8, "I"),
        "cp_ver": (12, "Q"), "next": (20, "I")}
INODE = {"mode": (0, "H"), "advise": (2, "B"), "inline": (3, "B"),
         "links": (12, "I"), "size": (16, "Q"), "blocks": (24, "Q"),
         "generation": (68, "I"), "current_depth": (72, "I"),
         "xattr_nid": (76, "I"), "flags": (80, "I"), "pino": (84, "I"),
         "namelen": (88, "I"), "dir_level": (347, "B"),
         "ext_lblk": (348, "I"), "ext_blk": (352, "I"),
         "ext_len": (356, "I"), "extra_isize": (360, "H"),
         "inline_xattr_size": (362, "H"), "projid": (364, "I"),
         "inode_checksum": (368, "I"), "compr_blocks": (384, "Q"),
         "compress_algorithm": (392, "B"), "log_cluster_size": (393, "B")}
DENTRY = {"hash": (0, "I"), "ino": (4, "I"), "len": (8, "H"),
          "type": (10, "B")}
LOGS = ["data", "data", "data", "node", "node", "node"]


class Volume:
    def __init__(self, path, undo=None):
        self.f = open(path, "r+b")
        self.undo = None
        if undo:
            self.start_undo(undo)
        for off in (1024, B + 1024):
            self.sb = {k: self.at(off + o, t) for k, (o, t) in SB.items()}
            if self.sb["magic"] == MAGIC:
                break
        self.choose_pack()

    def start_undo(self, path):
        """A text of "offset hex" a line, the last change first to be undone."""
        self.undo = open(path, "a+")
        self.undo.seek(0)
        for line in reversed(self.undo.readlines()):
            off, data = line.split()
            self.f.seek(int(off))
            self.f.write(bytes.fromhex(data))
        self.undo.truncate(0)

    def at(self, off, code, value=None):
        size = struct.calcsize(code)
        self.f.seek(off)
        if value is None:
            return struct.unpack("<" + code, self.f.read(size))[0]
        if self.undo:
            self.undo.write("%d %s\n" % (off, self.f.read(size).hex()))
            self.f.seek(off)
        self.f.write(struct.pack("<" + code, value & ((1 << 8 * size) - 1)))

    def block(self, blk, n=1):
        self.f.seek(blk * B)
        return self.f.read(B * n)

    def pack_blk(self, pack):
        return self.sb["cp_blkaddr"] + pack * SEG

    def choose_pack(self):
        best = None
        for pack in (0, 1):
            first = self.pack_blk(pack)
            total = self.at(first * B + 136, "I")
            if not 2 < total <= SEG:
                continue
            last = first + total - 1
            if not (self.cp_is_signed(first) and self.cp_is_signed(last)):
                continue
            ver = self.at(first * B, "Q")
            if ver == self.at(last * B, "Q") and (not best or ver > best[0]):
                best = (ver, pack)
        self.pack = best[1] if best else 0
        self.cp = {k: self.at(self.pack_blk(self.pack) * B + o, t)
                   for k, (o, t) in CP.items()}

    # Checksums

    def cp_crc(self, blk):
        data = self.block(blk)
        ofs = struct.unpack_from("<I", data, 164)[0]
        if not 192 <= ofs <= B - 4:
            ofs = B - 4
        value = crc(MAGIC, data[:ofs])
        if ofs < B - 4:
            value = crc(value, data[ofs + 4:])
        return ofs, value

    def cp_is_signed(self, blk):
        ofs, value = self.cp_crc(blk)
        return self.at(blk * B + ofs, "I") == value

    def sign_cp(self, blk):
        ofs, value = self.cp_crc(blk)
        self.at(blk * B + ofs, "I", value)

    def sign_sb(self, off):
        if not self.at(off + 2180, "I") & 0x800:
            return
        self.f.seek(off)
        self.at(off + 3068, "I", crc(MAGIC, self.f.read(3068)))

    def sign_inode(self, blk):
        data = bytearray(self.block(blk))
        if not (self.sb["feature"] & 0x20 and data[3] & 0x20 and
                struct.unpack_from("<H", data, 360)[0] >= 12):
            return
        ino = data[B - 20:B - 16]
        self.f.seek((0 if self.sb_off() == 1024 else B) + 1024 + 108)
        seed = crc(crc(crc(0xffffffff, self.f.read(16)), ino), data[68:72])
        data[368:372] = bytes(4)
        self.at(blk * B + 368, "I", crc(seed, bytes(data)))

    def sb_off(self):
        return 1024 if self.at(1024, "I") == MAGIC else B + 1024

    # Where things are

    def log_of(self, segno):
        for i, kind in enumerate(LOGS):
            first = self.pack_blk(self.pack) * B
            base = 84 if kind == "data" else 36
            if self.at(first + base + 4 * (i % 3), "I") == segno:
                return i
        return None

    def sum_base(self):
        """First block of the data summaries, and whether they are compact."""
        return (self.pack_blk(self.pack) + self.cp["cp_pack_start_sum"],
                self.cp["ckpt_flags"] & 4)

    def journal(self, which):
        """Byte offset of the NAT (0) or SIT (1) journal."""
        blk, compact = self.sum_base()
        if compact:
            return blk * B + 507 * which
        return (blk + (0 if which == 0 else 2)) * B + 3584

    def bit(self, which, n):
        """Version bit n of the SIT (0) or NAT (1) bitmap."""
        off = self.pack_blk(self.pack) * B + 192
        if self.cp["ckpt_flags"] & 0x400:
            off += 4 + (self.cp["nat_ver_bitmap_bytesize"] if which == 0
                        else 0)
        elif self.sb["cp_payload"]:
            off += B - 192 if which == 0 else 0
        elif which == 1:
            off += self.cp["sit_ver_bitmap_bytesize"]
        return self.at(off + n // 8, "B") >> 7 - n % 8 & 1

    def nat_off(self, nid):
        j = self.journal(0)
        for i in range(min(self.at(j, "H"), 38)):
            if self.at(j + 2 + 13 * i, "I") == nid:
                return j + 2 + 13 * i + 4
        i = nid // 455
        blk = self.sb["nat_blkaddr"] + 2 * i - i % SEG
        return (blk + SEG * self.bit(1, i)) * B + 9 * (nid % 455)

    def sit_off(self, segno):
        j = self.journal(1)
        for i in range(min(self.at(j, "H"), 6)):
            if self.at(j + 2 + 78 * i, "I") == segno:
                return j + 2 + 78 * i + 4
        i = segno // 55
        blk = self.sb["sit_blkaddr"] + i
        if self.bit(0, i):
            blk += self.sb["segment_count_sit"] // 2 * SEG
        return blk * B + 74 * (segno % 55)

    def sum_off(self, blk):
        """Offset of a block's summary entry, and of its segment's footer."""
        segno, n = divmod(blk - self.sb["main_blkaddr"], SEG)
        log = self.log_of(segno)
        base, compact = self.sum_base()
        first = self.pack_blk(self.pack)
        total = self.cp["cp_pack_total_block_count"]
        if log is None:
            base = self.sb["ssa_blkaddr"] + segno
        elif log >= 3:
            base = first + total - 4 + log - 3
        elif not compact:
            base += log
        else:
            return self.compact_off(base, log, n), None
        return base * B + 7 * n, base * B + 4091

    def compact_off(self, blk, log, n):
        off = 2 * 507
        for i in range(log + 1):
            used = self.at(self.pack_blk(self.pack) * B + 116 + 2 * i, "H")
            if self.at(self.pack_blk(self.pack) * B + 176 + i, "B"):
                used = SEG
            for k in range(n if i == log else used):
                off = self.compact_next(off)
        while off % B + 7 > B - 5:
            off += B - off % B
        return blk * B + off

    @staticmethod
    def compact_next(off):
        if off % B + 7 > B - 5:
            off += B - off % B
        return off + 7

    def node_blk(self, nid):
        return self.at(self.nat_off(nid) + 5, "I")

    # Files

    def geometry(self, blk):
        """First byte of the addresses, how many, first byte of the inline area."""
        data = self.block(blk)
        extra = xattr = 0
        if data[3] & 0x20:
            extra = struct.unpack_from("<H", data, 360)[0] // 4
        if self.sb["feature"] & 0x40:
            xattr = struct.unpack_from("<H", data, 362)[0]
        elif data[3] & 5:
            xattr = 50
        return 360 + 4 * extra, 923 - extra - xattr, 360 + 4 * extra + 4

    def file_blk(self, ino, n):
        blk = self.node_blk(ino)
        first, nr, _ = self.geometry(blk)
        if n < nr:
            return self.at(blk * B + first + 4 * n, "I")
        n -= nr
        if n < 2 * 1018:
            nid = self.at(blk * B + B - 44 + 4 * (n // 1018), "I")
            return self.at(self.node_blk(nid) * B + 4 * (n % 1018), "I")
        raise SystemExit("poke.py: block beyond the direct nodes")

    def dentry_areas(self, ino):
        """Bitmap, entries and names of each block of a directory, in bytes."""
        blk = self.node_blk(ino)
        data = self.block(blk)
        if data[3] & 4:
            first, nr, area = self.geometry(blk)
            size = 4 * (nr - 1)
            slots = size * 8 // 153
            base = blk * B + area
            yield base, base + size - 19 * slots, base + size - 8 * slots, slots
            return
        size = struct.unpack_from("<Q", data, 16)[0]
        for n in range(size // B):
            addr = self.file_blk(ino, n)
            if 0 < addr < 0xfffffffe:
                yield addr * B, addr * B + 30, addr * B + 2384, 214

    def find_entry(self, ino, name):
        for bitmap, entries, names, slots in self.dentry_areas(ino):
            i = 0
            while i < slots:
                if not self.at(bitmap + i // 8, "B") >> i % 8 & 1:
                    i += 1
                    continue
                length = self.at(entries + 11 * i + 8, "H")
                self.f.seek(names + 8 * i)
                if self.f.read(length) == name:
                    return bitmap, entries, i
                i += max((length + 7) // 8, 1)
        raise SystemExit("poke.py: no entry %r in %d" % (name, ino))

    def number(self, text):
        if text.startswith("@@"):
            path, n = text[2:].rsplit(".", 1)
            return self.file_blk(self.number(path), int(n, 0))
        if text.startswith("@"):
            return self.node_blk(self.number(text[1:]))
        if not text.startswith("/"):
            return int(text, 0)
        ino = 3
        for part in text.split("/"):
            if part:
                _, entries, i = self.find_entry(ino, part.encode())
                ino = self.at(entries + 11 * i + 4, "I")
        return ino

    # Fields

    def apply(self, places, op):
        """Set or print each (offset, code); signing is left to the caller."""
        for off, code in places:
            old = self.at(off, code)
            if op is None:
                print(old)
                return
            kind, value = op
            new = {"=": value, "+": old + value, "-": old - value,
                   "^": old ^ value}[kind]
            self.at(off, code, new)

    @staticmethod
    def indexed(table, name):
        """FIELD or FIELD.N of an array."""
        name, _, n = name.partition(".")
        off, code = table[name]
        return off + int(n or 0) * struct.calcsize(code), code

    def poke_sb(self, which, field, op):
        copies = {"sb": (0, 1), "sb1": (0,), "sb2": (1,)}[which]
        off, code = self.indexed(SB, field)
        for c in copies:
            self.apply([(c * B + 1024 + off, code)], op)
            if op is None:
                return
            if field != "crc":
                self.sign_sb(c * B + 1024)

    def poke_cp(self, which, field, op):
        pack = {"cp1": 0, "cp2": 1}.get(which[:3], self.pack)
        first = self.pack_blk(pack)
        total = self.at(first * B + 136, "I")
        ends = {"head": (0,), "foot": (total - 1,)}.get(
            which[-4:], (0, total - 1))
        off, code = self.indexed(CP, field)
        for end in ends:
            self.apply([((first + end) * B + off, code)], op)
            if op is None:
                return
            self.sign_cp(first + end)

    def poke_journal(self, which, field, op):
        j = self.journal(0 if which == "natj" else 1)
        if field == "count":
            return self.apply([(j, "H")], op)
        n, field = field.split(".", 1)
        if which == "natj":
            base = j + 2 + 13 * int(n)
            if field != "nid":
                off, code = NAT[field]
                return self.apply([(base + 4 + off, code)], op)
        else:
            base = j + 2 + 78 * int(n)
            if field != "segno":
                return self.poke_sit_at(base + 4, field, op)
        return self.apply([(base, "I")], op)

    def poke_sit_at(self, base, field, op):
        if field == "mtime":
            return self.apply([(base + 66, "Q")], op)
        if field.startswith("map."):
            n = int(field[4:])
            old = self.at(base + 2 + n // 8, "B")
            if op is None:
                print(old >> 7 - n % 8 & 1)
            else:
                value = op[1] if op[0] == "=" else 1 - (old >> 7 - n % 8 & 1)
                mask = 0x80 >> n % 8
                self.at(base + 2 + n // 8, "B",
                        old | mask if value else old & ~mask)
            return None
        word = self.at(base, "H")
        old = word & 0x3ff if field == "valid" else word >> 10
        if op is None:
            print(old)
            return None
        new = {"=": op[1], "+": old + op[1], "-": old - op[1],
               "^": old ^ op[1]}[op[0]]
        if field == "valid":
            word = word & ~0x3ff | new & 0x3ff
        else:
            word = word & 0x3ff | new << 10
        return self.at(base, "H", word)

    def poke_sum(self, blk, field, op):
        entry, foot = self.sum_off(blk)
        if field == "type":
            return self.apply([(foot, "B")], op)
        off, code = SUM[field]
        return self.apply([(entry + off, code)], op)

    def poke_node(self, nid, field, op):
        blk = self.node_blk(nid)
        if field.startswith("slot."):
            places = [(blk * B + 4 * int(field[5:]), "I")]
        elif field == "ofs":
            off = blk * B + B - 24 + 8
            old = self.at(off, "I")
            if op is None:
                print(old >> 3)
                return
            new = {"=": op[1], "+": (old >> 3) + op[1],
                   "-": (old >> 3) - op[1], "^": (old >> 3) ^ op[1]}[op[0]]
            self.at(off, "I", old & 7 | new << 3)
            places = []
        else:
            off, code = FOOT[field]
            places = [(blk * B + B - 24 + off, code)]
        self.apply(places, op)
        if op and self.at(self.nat_off(nid) + 1, "I") == nid:
            self.sign_inode(blk)

    def poke_inode(self, ino, field, op):
        blk = self.node_blk(ino)
        first, _, _ = self.geometry(blk)
        name, _, n = field.partition(".")
        if name == "addr":
            place = (blk * B + first + 4 * int(n), "I")
        elif name == "nid":
            place = (blk * B + B - 44 + 4 * int(n), "I")
        elif name == "byte":
            place = (blk * B + int(n, 0), "B")
        else:
            off, code = INODE[name]
            place = (blk * B + off, code)
        self.apply([place], op)
        if op and name != "inode_checksum":
            self.sign_inode(blk)

    def poke_dentry(self, spec, op):
        path, name, field = self.split_dentry(spec)
        ino = self.number(path)
        bitmap, entries, i = self.find_entry(ino, name.encode())
        if field.startswith("name."):
            names = self.names_of(ino, bitmap)
            self.apply([(names + 8 * i + int(field[5:]), "B")], op)
        elif field.startswith("bit."):
            i += int(field[4:])
            old = self.at(bitmap + i // 8, "B")
            if op is None:
                print(old >> i % 8 & 1)
                return
            self.at(bitmap + i // 8, "B", old ^ 1 << i % 8)
        else:
            off, code = DENTRY[field]
            self.apply([(entries + 11 * i + off, code)], op)
        if op:
            self.sign_inode_of(ino, bitmap)

    def names_of(self, ino, wanted):
        for bitmap, _, names, _ in self.dentry_areas(ino):
            if bitmap == wanted:
                return names
        raise SystemExit("poke.py: no such block")

    def sign_inode_of(self, ino, off):
        blk = self.node_blk(ino)
        if off // B == blk:
            self.sign_inode(blk)

    @staticmethod
    def split_dentry(spec):
        """DIR.NAME.FIELD; a name may hold dots and be "." or ".."."""
        kind = spec.rsplit(".", 2)[1]
        if kind in ("bit", "name"):
            cut = spec.rindex("." + kind + ".")
            rest, field = spec[:cut], spec[cut + 1:]
        else:
            rest, field = spec.rsplit(".", 1)
        path, name = rest.split(".", 1)
        return path, name, field

    def poke(self, spec, op):
        kind, _, rest = spec.partition(".")
        if kind in ("sb", "sb1", "sb2"):
            self.poke_sb(kind, rest, op)
        elif kind[:2] == "cp":
            self.poke_cp(kind, rest, op)
        elif kind in ("natj", "sitj"):
            self.poke_journal(kind, rest, op)
        elif kind == "orphan":
            off = (self.pack_blk(self.pack) + 1 + self.sb["cp_payload"]) * B
            self.apply([(off + 4 * int(rest), "I")], op)
        elif kind == "dentry":
            self.poke_dentry(rest, op)
        elif kind == "raw":
            blk, n = rest.rsplit(".", 1)
            self.apply([(self.number(blk) * B + int(n, 0), "B")], op)
        else:
            who, field = self.split(rest)
            number = self.number(who)
            if kind == "nat":
                off, code = NAT[field]
                self.apply([(self.nat_off(number) + off, code)], op)
            elif kind == "sit":
                self.poke_sit_at(self.sit_off(number), field, op)
            else:
                {"sum": self.poke_sum, "node": self.poke_node,
                 "inode": self.poke_inode}[kind](number, field, op)

    @staticmethod
    def split(rest):
        """WHO.FIELD, where FIELD may be NAME.N and WHO may hold dots."""
        head, last = rest.rsplit(".", 1)
        base, _, name = head.rpartition(".")
        if last[:1].isdigit() and name in ("addr", "nid", "byte", "slot",
                                           "map"):
            return base, name + "." + last
        return head, last


def value_of(vol, text):
    kind = text[:1] if text[:1] in "+-^" else "="
    return kind, vol.number(text.lstrip("+-^"))


def main():
    args, undo = sys.argv[1:], None
    if args[:1] == ["--undo"]:
        undo, args = args[1], args[2:]
    if not args:
        raise SystemExit(__doc__)
    vol = Volume(args[0], undo)
    for arg in args[1:]:
        spec, eq, text = arg.rpartition("=")
        if not eq:
            vol.poke(arg, None)
        else:
            vol.poke(spec, value_of(vol, text))
    vol.f.close()


if __name__ == "__main__":
    main()

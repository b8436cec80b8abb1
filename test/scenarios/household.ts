import type { TreeEntry } from "../../src/engines/testing/tree.ts";

const SECOND = 1_000_000_000n;

/** What volumes hold, in small: owners, modes, times, links of both kinds, holes, attributes, odd names. */
export const HOUSEHOLD: readonly TreeEntry[] = [
  { path: "", folder: {}, mode: 0o2750, uid: 1000, gid: 2000, mtime: 1_700_000_000n * SECOND + 42n },
  { path: "letters/first.txt", file: { text: "Dear reader,\n" }, mode: 0o640, uid: 1000, gid: 2000 },
  { path: "letters/second.txt", file: { text: "" }, mode: 0o444, uid: 1001, gid: 2000 },
  { path: "letters", folder: {}, mode: 0o755, mtime: 1_500_000_000n * SECOND + 123_456_789n },
  { path: "pictures/a.raw", file: { random: { bytes: 3_000_001, seed: 1 } }, mtime: 0n },
  { path: "pictures/same.raw", hardLink: "pictures/a.raw" },
  {
    path: "database/pages",
    file: { sparse: { size: 8_388_608, pieces: [{ offset: 4_194_304, text: "page" }] } },
    mode: 0o600,
    uid: 3_000_000_000,
    gid: 3_000_000_000,
  },
  { path: "database/queue", fifo: {}, mode: 0o620 },
  { path: "latest", symlink: "letters/second.txt", uid: 5, gid: 6 },
  { path: "nowhere", symlink: "/not/here" },
  { path: "empty", folder: {}, mode: 0o700 },
  { path: Buffer.from("caf\u00e9", "latin1"), file: { text: "not UTF-8" } },
  { path: "a name\nof two lines", file: { text: "odd" } },
  { path: "noted", file: { text: "noted" }, xattrs: { "user.holdfast": "kept", "user.empty": "" } },
];

export const FILMS: readonly TreeEntry[] = Array.from({ length: 24 }, (_, n) => ({
  path: `films/${n}.raw`,
  file: { random: { bytes: 1_000_000, seed: 100 + n } },
}));

/** The same with more in it, for faults that need some time to strike. */
export const LARGE_HOUSEHOLD: readonly TreeEntry[] = [...HOUSEHOLD, ...FILMS];

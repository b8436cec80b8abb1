import type { TreeEntry } from "./tree.ts";

/** One thing that a backup has to bring back, as a small tree of its own. */
export interface FidelityRow {
  readonly name: string;
  readonly entries: readonly TreeEntry[];
}

const NS = 1_000_000_000n;
const row = (name: string, ...entries: readonly TreeEntry[]): FidelityRow => ({ name, entries });
const file = (path: string | Uint8Array, text: string | Uint8Array = "content"): TreeEntry => ({
  path,
  file: { text },
});
const folder = (path: string | Uint8Array): TreeEntry => ({ path, folder: {} });
const bytes = (...codes: readonly number[]) => Uint8Array.from(codes);
const latin1 = (text: string) => Buffer.from(text, "latin1");

/** A file capability: CAP_NET_BIND_SERVICE, permitted and effective. */
const CAPABILITY = bytes(1, 0, 0, 2, 0, 4, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0);

/** An ACL as the kernel keeps it: owner rw, user 1234 r, group r, mask r, others nothing. */
export const ACL = bytes(
  ...[2, 0, 0, 0],
  ...[1, 0, 6, 0, 255, 255, 255, 255],
  ...[2, 0, 4, 0, 210, 4, 0, 0],
  ...[4, 0, 4, 0, 255, 255, 255, 255],
  ...[16, 0, 4, 0, 255, 255, 255, 255],
  ...[32, 0, 0, 0, 255, 255, 255, 255],
);

/** Each byte becomes three where a name is made UTF-8. */
const TOO_LONG = Buffer.alloc(100, 0xe9);

const LONG_PATH = Array.from({ length: 20 }, (_, i) => `${i}`.padEnd(198, "x")).join("/");

/** What both engines have to bring back. */
export const FIDELITY_ROWS: readonly FidelityRow[] = [
  row("an empty file", file("empty", "")),
  row("a file of one byte", file("one", "x")),
  row("text", file("text", "line\nline\n")),
  row(
    "every byte value",
    file(
      "bytes",
      Uint8Array.from({ length: 256 }, (_, i) => i),
    ),
  ),
  row("random content of several megabytes", {
    path: "big",
    file: { random: { bytes: 5_000_001, seed: 7 } },
  }),
  row("content of exactly one mebibyte", { path: "mebi", file: { random: { bytes: 2 ** 20, seed: 8 } } }),
  row("equal files that are not linked", file("a", "same"), file("b", "same")),
  row("an empty folder", folder("empty")),
  row("empty folders within each other", folder("a/b/c/d")),
  row("a hundred folders deep", file(`${"d/".repeat(100)}bottom`)),
  row("a file without any permission", { ...file("none"), mode: 0 }),
  row("a file with every permission", { ...file("all"), mode: 0o777 }),
  row("a file that only its owner reads", { ...file("private"), mode: 0o400 }),
  row("a setuid program", { ...file("su"), mode: 0o4755 }),
  row("a setgid program", { ...file("sg"), mode: 0o2755 }),
  row("a setgid folder", { ...folder("shared"), mode: 0o2775 }),
  row("a sticky folder", { ...folder("tmp"), mode: 0o1777 }),
  row("a file in a folder without write permission", { ...folder("locked"), mode: 0o555 }, file("locked/in")),
  row("a folder without any permission", { ...folder("shut"), mode: 0 }, file("shut/in")),
  row("another owner", { ...file("owned"), uid: 1000, gid: 2000 }),
  row("an owner above 2^31", { ...file("high"), uid: 3_000_000_000, gid: 4_000_000_000 }),
  row("the highest owner", { ...file("top"), uid: 2 ** 32 - 2, gid: 2 ** 32 - 2 }),
  row("a folder's owner", { ...folder("dir"), uid: 33, gid: 44 }, file("dir/in")),
  row("a symlink's owner", { path: "link", symlink: "nowhere", uid: 5, gid: 6 }),
  row("setuid of another owner", { ...file("su"), mode: 0o6755, uid: 1001, gid: 1002 }),
  row("a time to the nanosecond", { ...file("ns"), mtime: 1_700_000_000n * NS + 123_456_789n }),
  row("a time one nanosecond after the second", { ...file("ns"), mtime: 1_600_000_000n * NS + 1n }),
  row("the very beginning of 1970", { ...file("zero"), mtime: 0n }),
  row("a time before 1970", { ...file("old"), mtime: -1_000_000_000n * NS - 5n }),
  row("a time in 1902", { ...file("older"), mtime: -2_145_916_800n * NS }),
  row("a time after 2038", { ...file("y2038"), mtime: (2n ** 31n + 10n) * NS + 7n }),
  row("a time after 2106", { ...file("y2106"), mtime: (2n ** 32n + 10n) * NS + 7n }),
  row("a time after 2262", { ...file("y2400"), mtime: 13_569_465_600n * NS + 3n }),
  row("a folder's time after 2262", { ...folder("dir"), mtime: 13_569_465_600n * NS + 4n }, file("dir/in")),
  row("a folder's time", { ...folder("dir"), mtime: 1_000_000_000n * NS + 42n }, file("dir/in")),
  row("a folder's time before 1970", { ...folder("dir"), mtime: -7n * NS - 42n }, file("dir/in")),
  row("a symlink's time", { path: "link", symlink: "x", mtime: 1_234_567_890n * NS + 98_765n }),
  row("a relative symlink", file("a"), { path: "link", symlink: "a" }),
  row("a dangling symlink", { path: "link", symlink: "not/there" }),
  row("a symlink to a folder", file("dir/in"), { path: "link", symlink: "dir" }),
  row("a symlink to an absolute path", { path: "link", symlink: "/etc/hostname" }),
  row("a symlink upwards", { path: "a/b/link", symlink: "../../.." }),
  row("a symlink to itself", { path: "loop", symlink: "loop" }),
  row("a long symlink", { path: "link", symlink: "t/".repeat(1000) }),
  row("a symlink to bytes that are not UTF-8", { path: "link", symlink: latin1("caf\xe9") }),
  row("a symlink with a newline", { path: "link", symlink: "a\nb" }),
  row("hard links in one folder", file("a"), { path: "b", hardLink: "a" }),
  row("hard links across folders", file("x/a"), { path: "y/b", hardLink: "x/a" }),
  row("a file of many names", file("0"), ...["1", "2", "3", "4"].map((path) => ({ path, hardLink: "0" }))),
  row("hard links of an empty file", file("a", ""), { path: "b", hardLink: "a" }),
  row("hard links of a private file", { ...file("a"), mode: 0o400, uid: 7 }, { path: "b", hardLink: "a" }),
  row("hard links of a symlink", { path: "a", symlink: "t" }, { path: "b", hardLink: "a" }),
  row("a file that is one hole", { path: "hole", file: { sparse: { size: 8_000_000, pieces: [] } } }),
  row("a file with holes between data", {
    path: "holes",
    file: {
      sparse: {
        size: 12_000_000,
        pieces: [
          { offset: 4_000_000, text: "in the middle" },
          { offset: 11_999_999, text: "x" },
        ],
      },
    },
  }),
  row("an extended attribute", { ...file("a"), xattrs: { "user.comment": "hello" } }),
  row("an empty extended attribute", { ...file("a"), xattrs: { "user.empty": "" } }),
  row("an extended attribute of any bytes", {
    ...file("a"),
    xattrs: { "user.bytes": bytes(0, 255, 10, 128) },
  }),
  row("a large extended attribute", { ...file("a"), xattrs: { "user.large": "v".repeat(3000) } }),
  row("many extended attributes", {
    ...file("a"),
    xattrs: Object.fromEntries(Array.from({ length: 20 }, (_, i) => [`user.n${i}`, `${i}`])),
  }),
  row("an extended attribute of a folder", { ...folder("dir"), xattrs: { "user.kind": "folder" } }),
  row("an extended attribute of a symlink", { path: "l", symlink: "t", xattrs: { "trusted.kind": "link" } }),
  row(
    "an extended attribute of a linked file",
    { ...file("a"), xattrs: { "user.x": "1" } },
    { path: "b", hardLink: "a" },
  ),
  row("an ACL of a file", { ...file("acl"), mode: 0o640, xattrs: { "system.posix_acl_access": ACL } }),
  row(
    "a default ACL of a folder",
    { ...folder("acl"), xattrs: { "system.posix_acl_default": ACL } },
    folder("acl/in"),
  ),
  row("a file capability", { ...file("bind"), mode: 0o755, xattrs: { "security.capability": CAPABILITY } }),
  row("a file capability of another owner", {
    ...file("bind"),
    uid: 9,
    xattrs: { "security.capability": CAPABILITY },
  }),
  row(
    "an ACL of Samba",
    { ...file("shared/in"), xattrs: { "security.NTACL": bytes(4, 0, 4, 0, 0, 0, 2, 0) } },
    { ...folder("shared"), xattrs: { "security.NTACL": bytes(4, 0, 4, 0, 0, 0, 2, 1) } },
  ),
  row("a FIFO", { path: "pipe", fifo: {} }),
  row("a FIFO with mode, owner and time", {
    path: "pipe",
    fifo: {},
    mode: 0o622,
    uid: 3,
    gid: 4,
    mtime: 5n * NS + 6n,
  }),
  row("names with blanks", file(" lead"), file("trail "), file("in the middle")),
  row("a name with a newline", file("two\nlines")),
  row("names with quotes and backslashes", file("quote\"s'"), file("back\\slash"), file("\\n")),
  row("names with control characters", file("tab\there"), file("bell\x07"), file("esc\x1b[31m")),
  row("names like patterns", file("*"), file("?"), file("[a-z]"), file("{a,b}"), file("**")),
  row("names like options", file("-rf"), file("--help"), file("-")),
  row(
    "names like variables and hosts",
    file("$HOME"),
    file("~"),
    file("%41"),
    file("a:b"),
    file("a,b"),
    file("a=b"),
  ),
  row("names with dots", file("..."), file(".hidden"), file("end.")),
  row("names in several scripts", file("ä ö ü"), file("日本語"), file("עברית"), file("🗄️")),
  row("composed and decomposed letters beside each other", file("\u00e9", "c"), file("e\u0301", "d")),
  row("names that differ in case", file("Name", "1"), file("name", "2"), file("NAME", "3")),
  row("a name in Latin-1", file(latin1("caf\xe9"))),
  row("names that are no text at all", file(bytes(255, 254)), file(bytes(128)), file(bytes(0xc3, 0x28))),
  row(
    "a folder whose name is not UTF-8",
    file(Buffer.concat([latin1("d\xff/in")])),
    folder(latin1("d\xff/sub")),
  ),
  row("a linked file whose name is not UTF-8", file(latin1("a\xff")), {
    path: "b",
    hardLink: latin1("a\xff"),
  }),
  row(
    "a replacement character beside what it would replace",
    file("x\ufffd", "1"),
    file(latin1("x\xff"), "2"),
  ),
  row("a name that is too long as UTF-8", file(TOO_LONG), { ...folder(""), mode: 0o2751, uid: 77 }),
  row(
    "a folder whose name is too long as UTF-8",
    { ...folder("in"), mode: 0o710, gid: 78, mtime: 1_000_000_000n * NS + 42n },
    { ...folder(latin1(`in/${TOO_LONG.toString("latin1")}`)), mode: 0o750 },
    file(latin1(`in/${TOO_LONG.toString("latin1")}/a`)),
    file("in/beside"),
  ),
  row("a name of 255 bytes", file("n".repeat(255))),
  row("a path of 4,000 characters", file(`${LONG_PATH}/end`.slice(0, 3_960))),
  row(
    "a folder that calls itself a cache",
    file("c/CACHEDIR.TAG", "Signature: 8a477f597d28d172789f06886806bc55\n"),
    file("c/in"),
  ),
  row("files that name what to ignore", file(".kopiaignore", "*\n"), file(".gitignore", "*\n"), file("kept")),
  row(
    "names that end as kopia's placeholders do",
    { ...file("file.kopia-entry"), mode: 0o640, uid: 8, mtime: 1_500_000_000n * NS + 9n },
    { ...folder("folder.kopia-entry"), mode: 0o750, gid: 9, mtime: 1_500_000_001n * NS },
    file("folder.kopia-entry/in"),
    file("folder.kopia-entry/deep/in.kopia-entry"),
    { path: "link.kopia-entry", symlink: "file.kopia-entry" },
    { path: "linked", hardLink: "file.kopia-entry" },
    file("beside.kopia-entry", "1"),
    file("beside", "2"),
    file("both.kopia-entry/in"),
    file("both/in"),
    file("nothing-else/.kopia-entry"),
    file("nothing-else-either/.kopia-entry/in"),
  ),
  row(
    "such names that patterns would take for more",
    ...["*", "?", "[a]", "a\\", "\\", "a ", " ", "a\u00a0", "a\n", "!a", "#a", "twice.kopia-entry"].flatMap(
      (name) => [file(`${name}.kopia-entry`), file(`${name}-not`)],
    ),
    file(latin1("caf\xe9.kopia-entry")),
    file("caf"),
    file("a"),
  ),
  row("a thousand names in one folder", ...Array.from({ length: 1000 }, (_, i) => file(`many/${i}`, `${i}`))),
];

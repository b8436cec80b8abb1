import { execFileSync } from "node:child_process";
import { mkdtempSync, readFileSync, rmSync, statSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, expect, test } from "vitest";
import type { Entry } from "../../wire/entry.ts";
import { allOf } from "../files/all_of.ts";
import { archive } from "./archive.ts";
import { tarHeader } from "./tar.ts";

let folder: string;
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), "tar-"));
});
afterEach(() => rmSync(folder, { recursive: true }));

type Tree = { readonly [name: string]: string | Tree };

const LONG = "a long name, ".repeat(18);
const TREE: Tree = {
  "a.txt": "hello",
  "": "",
  "Größe.txt": "umlauts",
  [LONG]: { [`${LONG}.bin`]: "x".repeat(1024) },
  empty: {},
  full: { block: "y".repeat(512), none: "" },
};

function sourceOf(tree: Tree, more: Partial<Entry> = {}) {
  const at = (path: string) =>
    path
      .split("/")
      .reduce<string | Tree>((node, name) => (name === "" ? node : ((node as Tree)[name] ?? "")), tree);
  return {
    async *entries(path: string): AsyncIterable<Entry> {
      for (const [name, node] of Object.entries(at(path) as Tree)) {
        const isFile = typeof node === "string";
        const modifiedAt = "2026-05-24T03:00:00.123456789Z";
        const size = isFile ? Buffer.byteLength(node) : 0;
        yield {
          name,
          type: isFile ? "File" : "Folder",
          size,
          mode: isFile ? 0o640 : 0o750,
          modifiedAt,
          ...more,
        };
      }
    },
    async *read(path: string): AsyncIterable<Uint8Array> {
      yield Buffer.from(at(path) as string);
    },
  };
}

test("the system's tar reads what is written: long names, times, modes and content", async () => {
  const { "": _, ...tree } = TREE;
  const bytes = Buffer.concat(await allOf(archive(sourceOf(tree), "", "top")));
  const file = join(folder, "a.tar");
  writeFileSync(file, bytes);
  execFileSync("tar", ["-xpf", file, "-C", folder, "--no-same-owner"], { stdio: ["ignore", "pipe", "pipe"] });
  expect(readFileSync(join(folder, "top/a.txt"), "utf8")).toBe("hello");
  expect(readFileSync(join(folder, "top/Größe.txt"), "utf8")).toBe("umlauts");
  expect(readFileSync(join(folder, "top", LONG, `${LONG}.bin`), "utf8")).toBe("x".repeat(1024));
  expect(readFileSync(join(folder, "top/full/block"), "utf8")).toBe("y".repeat(512));
  expect(statSync(join(folder, "top/empty")).isDirectory()).toBe(true);
  const { mtime, mode } = statSync(join(folder, "top/a.txt"));
  expect([mtime.toISOString(), mode & 0o777]).toEqual(["2026-05-24T03:00:00.123Z", 0o640]);
});

test.each([["../evil"], [".."], ["a/b"], ["a\0b"], [""]])("a name such as %j leads nowhere", async (name) => {
  const source = sourceOf({ a: "x" }, { name });
  await expect(allOf(archive(source, "", "top"))).rejects.toThrow("which is not fetched");
});

test("a file of another length than was said ends it", async () => {
  const source = sourceOf({ a: "hello" }, { size: 4 });
  await expect(allOf(archive(source, "", "top"))).rejects.toThrow("a has 5 bytes, and the snapshot says 4");
});

test("what is read ahead is a handful of files, however deep they are", async () => {
  let deep: Tree = {};
  for (let depth = 0; depth < 40; depth++)
    deep = { a: deep, ...Object.fromEntries(Array.from({ length: 20 }, (_, n) => [`f${n}`, "hello"])) };
  const source = sourceOf(deep);
  const counts = { asked: 0, written: 0, most: 0 };
  const read = (path: string) => {
    counts.asked += 1;
    counts.most = Math.max(counts.most, counts.asked - counts.written);
    return source.read(path);
  };
  for await (const chunk of archive({ ...source, read }, "", "top"))
    if (Buffer.from(chunk).toString() === "hello") counts.written += 1;
  expect(counts).toEqual({ asked: 800, written: 800, most: 8 });
});

test("links and special files are left out", async () => {
  const bytes = Buffer.concat(await allOf(archive(sourceOf({ a: "x" }, { type: "Symlink" }), "", "top")));
  expect(bytes).toEqual(Buffer.alloc(1024));
});

test("sizes and owners beyond the old header are in the newer one", () => {
  const owner = { uid: 4_000_000_000, gid: 7 };
  const header = tarHeader({ path: "a", type: "File", size: 2 ** 40, mode: 0o644, modifiedAt: "", owner });
  const text = Buffer.from(header).toString("latin1");
  expect(text).toContain("22 size=1099511627776\n");
  expect(text).toContain("18 uid=4000000000\n");
  expect(text).not.toContain("gid=");
  expect(header.length).toBe(3 * 512);
});

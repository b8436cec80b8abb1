import { mkdtempSync, readdirSync, readFileSync, rmSync, statSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, describe, expect, test } from "vitest";
import { seededRandom } from "../../lib/random.ts";
import type { Entry } from "../../wire/entry.ts";
import { backupOf, foundBackup } from "../testing/cli_samples.ts";
import { allOf } from "./all_of.ts";
import { downloadTree } from "./download_tree.ts";
import { modeText, safeName } from "./entry_text.ts";
import { sightings } from "./sightings.ts";
import { type ListFolder, treeDifferences } from "./tree_difference.ts";

const entry = (name: string, type: Entry["type"], more: Partial<Entry> = {}): Entry => ({
  name,
  type,
  size: 1,
  mode: 0o644,
  modifiedAt: "2026-01-01T00:00:00Z",
  ...more,
});

async function* each<T>(items: readonly T[]): AsyncIterable<T> {
  yield* items;
}

const lister =
  (folders: Readonly<Record<string, readonly Entry[]>>): ListFolder =>
  (path) =>
    each(folders[path] ?? []);

test.each([
  [entry("a", "File", { mode: 0o640 }), "-rw-r-----"],
  [entry("a", "Folder", { mode: 0o755 }), "drwxr-xr-x"],
  [entry("a", "Symlink", { mode: 0o777 }), "lrwxrwxrwx"],
])("a mode is shown as ls does", (one, text) => {
  expect(modeText(one)).toBe(text);
});

test("a name cannot write over the terminal", () => {
  expect(safeName("a\u001b[2Jb\n")).toBe("a\ufffd[2Jb\ufffd");
});

test("two trees differ by what came, went and changed, and folders only by what is in them", async () => {
  const before = lister({
    "": [
      entry("kept", "Folder", { modifiedAt: "2025-01-01T00:00:00Z" }),
      entry("gone", "File"),
      entry("same", "File"),
    ],
    kept: [entry("a", "File"), entry("b", "File")],
  });
  const after = lister({
    "": [entry("kept", "Folder"), entry("new", "Folder"), entry("same", "File")],
    kept: [entry("a", "File", { size: 2, mode: 0o600 }), entry("b", "Symlink")],
    new: [entry("c", "File")],
  });
  const found = await allOf(treeDifferences(before, after));
  expect(found.map(({ path, change, what }) => [path, change, what])).toEqual([
    ["gone", "removed", undefined],
    ["kept/a", "changed", ["size", "mode"]],
    ["kept/b", "changed", ["type"]],
    ["new", "added", undefined],
  ]);
});

test("a name is found once for each form of the file, and equal snapshots are read once", async () => {
  const of = (name: string, root: string) => {
    const backup = backupOf("data", name, {});
    const [snapshot] = backup.status?.snapshots ?? [];
    return { ...backup, status: { ...backup.status, snapshots: [{ ...snapshot, root }] } } as typeof backup;
  };
  const asked: string[] = [];
  const found = await sightings([of("a", "r1"), of("b", "r1"), of("c", "r2")], {
    name: "x*",
    search: (id) => {
      asked.push(id);
      return each([{ ...entry("x1", "File", { size: id === "id-c" ? 9 : 1 }), path: "d/x1" }]);
    },
  });
  expect(asked).toEqual(["id-c", "id-a"]);
  expect(found.map(({ size, backups }) => [size, backups])).toEqual([
    [1, ["a", "b"]],
    [9, ["c"]],
  ]);
});

test("the newest snapshot is searched alone, and four of the others at once", async () => {
  const searching = new Set<string>();
  const together: string[][] = [];
  const backups = ["a", "b", "c", "d", "e", "f", "g"].map((name) =>
    backupOf("data", name, {
      snapshots: [
        { ...backupOf("data", name, {}).status?.snapshots?.[0], kopiaSnapshotID: name, root: name },
      ],
    }),
  );
  const found = await sightings(backups, {
    name: "x*",
    search: async function* (id) {
      searching.add(id);
      await new Promise((resolve) => setImmediate(resolve));
      together.push([...searching]);
      searching.delete(id);
      yield { ...entry("x1", "File"), path: "d/x1" };
    },
  });
  expect(together[0]).toEqual(["g"]);
  expect(together[1]).toEqual(["f", "e", "d", "c"]);
  expect(Math.max(...together.map(({ length }) => length))).toBe(4);
  expect(found.map(({ backups: names }) => names.join(""))).toEqual(["abcdefg"]);
});

test("no more than so many entries are kept, of the newest snapshots, and that there are more is told", async () => {
  const backups = ["a", "b", "c"].map((name) => backupOf("data", name, {}));
  const asked: string[] = [];
  const looked = async (most: number) => {
    asked.length = 0;
    let cut = false;
    const search = (id: string) => {
      asked.push(id);
      return each(["x1", "x2"].map((name) => ({ ...entry(name, "File"), path: `${id}/${name}` })));
    };
    const onCut = () => {
      cut = true;
    };
    const found = await sightings(backups, { name: "x*", search, most, onCut });
    return [found.map(({ path }) => path), cut];
  };
  expect(await looked(3)).toEqual([["id-b/x1", "id-c/x1", "id-c/x2"], true]);
  const all = ["a", "b", "c"].flatMap((name) => [`id-${name}/x1`, `id-${name}/x2`]);
  expect(await looked(6)).toEqual([all, false]);
  expect(await looked(2)).toEqual([["id-c/x1", "id-c/x2"], true]);
  expect(asked).toEqual(["id-c"]);
});

test("a name is found once for each volume of a backup", async () => {
  const [own] = backupOf("data", "a", {}).status?.snapshots ?? [];
  const identity = { username: "data", hostname: "home", sourcePath: "/other" };
  const other = { ...own, kopiaSnapshotID: "id-other", pvc: "home/other", identity };
  const found = await sightings([backupOf("data", "a", { snapshots: [own, other] })], {
    name: "x*",
    search: () => each([{ ...entry("x1", "File"), path: "d/x1" }]),
  });
  expect(found.map(({ volume, backups }) => [volume, backups])).toEqual([
    ["home/data", ["a"]],
    ["home/other", ["a"]],
  ]);
});

test("a volume is the same before and after a loss, when what was found names no claim", async () => {
  const identity = { username: "data", hostname: "home", sourcePath: "/data" };
  const lost = foundBackup(identity, "found", {});
  const seen = async (...backups: Parameters<typeof sightings>[0]) => {
    const search = () => each([{ ...entry("x1", "File"), path: "d/x1" }]);
    const found = await sightings(backups, { name: "x*", search });
    return found.map((one) => [one.volume, one.backups]);
  };
  expect(await seen(lost)).toEqual([["/data", ["found"]]]);
  expect(await seen(lost, backupOf("data", "a", {}))).toEqual([["home/data", ["found", "a"]]]);
});

describe("downloadTree()", () => {
  let folder: string;
  beforeEach(() => {
    folder = mkdtempSync(join(tmpdir(), "holdfast-download-"));
  });
  afterEach(() => rmSync(folder, { recursive: true }));

  const root = entry("", "Folder");
  const content = (text: string) => each([Buffer.from(text)]);
  const source = {
    entries: lister({
      "": [entry("sub", "Folder"), entry("a.txt", "File"), entry("link", "Symlink")],
      sub: [entry("b.txt", "File")],
    }),
    read: (path: string) => content(`of ${path}`),
  };
  const options = { source, force: false, random: seededRandom(1), onBytes: () => {}, onFile: () => {} };

  test("brings files and folders with their times, and counts what it leaves out", async () => {
    const target = join(folder, "all");
    expect(await downloadTree(root, "", target, options)).toEqual({ files: 2, bytes: 8 + 12, left: 1 });
    expect(readFileSync(join(target, "sub/b.txt"), "utf8")).toBe("of sub/b.txt");
    expect(statSync(join(target, "a.txt")).mtime.toISOString()).toBe("2026-01-01T00:00:00.000Z");
  });

  test("tells of bytes as they come, and of a file once it is in its place", async () => {
    const target = join(folder, "a");
    const told: unknown[] = [];
    const tell = (...what: unknown[]) => told.push([...what, readdirSync(folder).includes("a")]);
    const read = () => each(["one", "four"].map((text) => Buffer.from(text)));
    const listening = { ...options, source: { ...source, read }, onBytes: tell, onFile: tell };
    await downloadTree(entry("a", "File"), "a", target, listening);
    expect(told).toEqual([
      ["a", 3, false],
      ["a", 4, false],
      ["a", 7, true],
    ]);
  });

  test("replaces nothing unless that is wanted", async () => {
    const target = join(folder, "a.txt");
    writeFileSync(target, "mine");
    const fetched = (force: boolean) =>
      downloadTree(entry("a.txt", "File"), "a.txt", target, { ...options, force });
    await expect(fetched(false)).rejects.toThrow("is there already");
    expect(readFileSync(target, "utf8")).toBe("mine");
    await fetched(true);
    expect(readFileSync(target, "utf8")).toBe("of a.txt");
  });

  test("leaves nothing half-written under a file's name", async () => {
    async function* broken() {
      yield Buffer.from("half");
      throw new Error("it broke off");
    }
    const failing = { ...options, source: { ...source, read: broken } };
    await expect(downloadTree(entry("a", "File"), "a", join(folder, "a"), failing)).rejects.toThrow(
      "it broke off",
    );
    expect(readdirSync(folder)).toEqual([]);
  });

  test("touches no file of another name, and another of the same download is whole", async () => {
    writeFileSync(join(folder, "a.txt.part"), "mine");
    await downloadTree(entry("a.txt", "File"), "a.txt", join(folder, "a.txt"), options);
    expect(readFileSync(join(folder, "a.txt.part"), "utf8")).toBe("mine");
    const both = { ...source, entries: lister({ "": [entry("b", "File"), entry("b.part", "File")] }) };
    await downloadTree(root, "", join(folder, "both"), { ...options, source: both });
    expect(readdirSync(join(folder, "both"))).toEqual(["b", "b.part"]);
    expect(readFileSync(join(folder, "both/b.part"), "utf8")).toBe("of b.part");
  });

  test("what it did not make is neither written over nor removed", async () => {
    const taken = { ...seededRandom(1), hex: () => "taken" };
    const own = join(folder, ".holdfast-taken.part");
    writeFileSync(own, "mine");
    const fetched = downloadTree(entry("a", "File"), "a", join(folder, "a"), { ...options, random: taken });
    await expect(fetched).rejects.toThrow("EEXIST");
    expect(readFileSync(own, "utf8")).toBe("mine");
  });

  test.each(["..", "a/b", ""])("a name such as %j does not lead out of the folder", async (name) => {
    const evil = { ...source, entries: lister({ "": [entry(name, "File")] }) };
    await expect(downloadTree(root, "", join(folder, "x"), { ...options, source: evil })).rejects.toThrow(
      "not fetched",
    );
  });
});

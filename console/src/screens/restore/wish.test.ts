import { describe, expect, test } from "vitest";
import {
  confirmingWords,
  firstTarget,
  missingIn,
  placeOf,
  queryOf,
  restoreWords,
  type Wish,
  wishFrom,
} from "./wish.ts";

const base = wishFrom({ namespace: "shop", backup: "monday", targetName: "documents" });
const wish = (more: Partial<Wish>): Wish => ({ ...base, ...more });

describe("restoreWords()", () => {
  test.each<[string, Partial<Wish>, string]>([
    ["a new PVC", {}, "restore backup/monday --to documents"],
    [
      "a new PVC, with all that it can be",
      { capacity: "10Gi", storageClass: "fast", accessMode: "ReadWriteMany", privileged: true },
      "restore backup/monday --to documents --capacity 10Gi --storage-class fast --access-mode ReadWriteMany --privileged",
    ],
    [
      "in place, of a moment",
      { source: "moment", config: "docs", at: "2h", pvc: "documents", target: "existing", deleteExtra: true },
      "restore config/docs --as-of 2h --pvc documents --into documents --delete-extra",
    ],
    [
      "a file to another folder",
      { path: "letters/anna.txt", toPath: "/rescued", target: "existing", existing: "Keep", scaleDown: true },
      "restore backup/monday --path letters/anna.txt --into documents --to-path /rescued --existing Keep --scale-down",
    ],
    [
      "another namespace",
      { targetNamespace: "test", ownership: "Skip" },
      "restore backup/monday --to documents --from-namespace shop --ownership Skip",
    ],
    ["the same namespace, said", { targetNamespace: "shop" }, "restore backup/monday --to documents"],
    [
      "without a backup first",
      { target: "existing", skipBackup: true },
      "restore backup/monday --into documents --no-backup-first",
    ],
    [
      "what a new PVC has no use for",
      { scaleDown: true, deleteExtra: true, existing: "Keep", skipBackup: true },
      "restore backup/monday --to documents",
    ],
    [
      "what a PVC that is there has no use for",
      { target: "existing", capacity: "1Gi", storageClass: "fast" },
      "restore backup/monday --into documents",
    ],
    ["the last restore undone", { source: "undo" }, "restore --undo"],
    [
      "a restore undone",
      { source: "undo", undo: "restore/r1", scaleDown: true, path: "a", deleteExtra: true },
      "restore restore/r1 --undo --scale-down",
    ],
  ])("say %s", (_, more, line) => {
    expect(restoreWords(wish(more)).join(" ")).toBe(line);
  });

  test("never take a name for an option", () => {
    expect(restoreWords(wish({ path: "--yes" }))).toContain("--path=--yes");
    expect(restoreWords(wish({ path: "-n x" }))).not.toContain("-n x");
  });
});

test("a plan alone is confirmed by yes, and one that deletes most by the PVC's name too", () => {
  expect(confirmingWords(undefined)).toEqual(["--yes"]);
  expect(confirmingWords("documents")).toEqual(["--yes", "--confirm-deletion", "documents"]);
});

test.each<[Partial<Wish>, readonly string[]]>([
  [{}, []],
  [{ backup: "" }, ["Choose a snapshot."]],
  [{ source: "moment" }, ["Choose the BackupConfig."]],
  [{ targetName: "" }, ["Name the PVC that gets the data."]],
  [{ source: "undo", targetName: "", backup: "" }, []],
])("of %j is missing: %j", (more, expected) => {
  expect(missingIn(wish(more))).toEqual(expected);
});

test("the command runs where it writes", () => {
  expect(placeOf(wish({}))).toBe("shop");
  expect(placeOf(wish({ targetNamespace: "test" }))).toBe("test");
  expect(placeOf(wish({ targetNamespace: "test", source: "undo" }))).toBe("shop");
});

test.each<[string, Partial<Wish>]>([
  ["a snapshot", { path: "a", target: "existing", scaleDown: true }],
  ["a moment", { source: "moment", backup: "", config: "docs", at: "2h" }],
  ["an undo", { source: "undo", backup: "", undo: "restore/r1" }],
])("an address says the whole wish: %s", (_, more) => {
  const said = JSON.parse(JSON.stringify(queryOf(wish(more))));
  expect(wishFrom(said)).toEqual(wish(more));
});

test.each([
  [
    { isThere: true, path: "" },
    { target: "new", targetName: "documents-restored", targetNamespace: "" },
  ],
  [
    { isThere: true, path: "a" },
    { target: "existing", targetName: "documents", targetNamespace: "" },
  ],
  [
    { isThere: false, path: "a" },
    { target: "new", targetName: "documents", targetNamespace: "" },
  ],
  [
    { isThere: false, path: "", namespace: "ops" },
    { target: "new", targetName: "documents", targetNamespace: "shop" },
  ],
] as const)("data goes first to where nothing is overwritten that was not meant: %j", (facts, expected) => {
  expect(firstTarget({ claim: "shop/documents", namespace: "shop", ...facts })).toEqual(expected);
});

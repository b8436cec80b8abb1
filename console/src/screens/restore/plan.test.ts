import { describe, expect, test } from "vitest";
import { lostFor, planFrom } from "./plan.ts";

const IN_PLACE = [
  "Restore shop/documents-x:",
  "  from  volume shop/documents of backup monday, of 2026-05-24T03:00:00Z (9h ago), 2.0 KiB, INCOMPLETE: 3 files could not be read",
  "  not   backup tuesday, unless it is named: it is incomplete: 3 files",
  "  to    the claim shop/documents, in place",
  "  NOTE  the data is of volume shop/photos, and goes into another volume, shop/documents",
  "  path  only letters, to the place where it was; the rest of the volume stays as it is",
  "  files that are there are OVERWRITTEN",
  "  files that the snapshot does not hold are DELETED",
  "  owners are not restored",
  "  last  backup of documents: monday, 9h ago, 2.0 KiB; what was written since is in no backup",
  "  first a backup of documents is made, by config docs; holdfast restore --undo goes back to it",
  "  pods  web-0 mount it: nothing is written before they are gone (or use --scale-down)",
  "  WARNING  The snapshot is empty, and every file of the volume would be deleted.",
];

describe("planFrom()", () => {
  test("tells what each line is about, and what is not to be overlooked", () => {
    expect(planFrom(IN_PLACE).lines.map(({ about, loud }) => [about, loud])).toEqual([
      ["from", true],
      ["left out", false],
      ["to", false],
      ["note", true],
      ["part", false],
      ["files", true],
      ["files", true],
      ["besides", false],
      ["last backup", false],
      ["first", false],
      ["workloads", false],
      ["warning", true],
    ]);
  });

  test("keeps the sentences whole", () => {
    const { lines } = planFrom(IN_PLACE);
    expect(lines[5]?.text).toBe("files that are there are OVERWRITTEN");
    expect(lines[9]?.text).toBe(
      "a backup of documents is made, by config docs; holdfast restore --undo goes back to it",
    );
  });

  test("names the PVC that is overwritten, and what stands in the way", () => {
    const { into, confirmDeletion, waitsForPods } = planFrom(IN_PLACE, "documents");
    expect({ into, confirmDeletion, waitsForPods }).toEqual({
      into: "documents",
      confirmDeletion: "documents",
      waitsForPods: true,
    });
  });

  test.each([
    ["  to    a new claim shop/copy of 1Gi, ReadWriteOnce, in the default class", undefined],
    ["  to    the claim shop/copy, which is NOT THERE: the restore waits for it", "copy"],
  ])("knows whether a PVC that is there is written: %s", (line, into) => {
    expect(planFrom([line]).into).toBe(into);
  });

  test("waits for no pods that are scaled down", () => {
    const line = "  pods  web-0 mount it: what they belong to is scaled down, and brought back afterwards";
    expect(planFrom([line]).waitsForPods).toBe(false);
    expect(planFrom([line]).confirmDeletion).toBeUndefined();
  });
});

test("what cannot come back is overwritten, deleted, never backed up, or not in the snapshot", () => {
  const lost = lostFor(planFrom(IN_PLACE));
  expect(lost).toHaveLength(4);
  expect(lost.join(" ")).toMatch(/INCOMPLETE.*OVERWRITTEN.*DELETED.*in no backup/);
  expect(lostFor(planFrom(["  to    a new claim shop/copy of 1Gi, in the default class"]))).toEqual([]);
});

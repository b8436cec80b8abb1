import { expect, test } from "vitest";
import { outcomeFrom } from "./outcome.ts";

test("an end tells amounts, what did not come back, and the rest", () => {
  const lines = [
    "backup/before-documents-x is made first",
    "Running",
    "restore/documents-x is made",
    "restore/documents-x is done: 1.2 GiB, 30 files, in 12s",
    "  not brought back: 3 × Ownership: the mover may not set owners",
    "  the snapshot does not hold the whole source: 2 files",
  ];
  expect(outcomeFrom(lines)).toEqual({
    restore: "restore/documents-x",
    running: "restore/documents-x",
    undoable: true,
    amounts: ["1.2 GiB", "30 files", "in 12s"],
    losses: [{ count: 3, what: "Ownership", why: "the mover may not set owners" }],
    says: ["the snapshot does not hold the whole source: 2 files"],
  });
});

test("while the backup is made first, that is what can be ended", () => {
  const { running, restore } = outcomeFrom(["backup/before-x is made first", "Running"]);
  expect([running, restore]).toEqual(["backup/before-x", undefined]);
});

test("a restore without amounts says what it says", () => {
  const line = "restore/x is done: the repository holds no such snapshot, and the volume is empty";
  expect(outcomeFrom([line])).toMatchObject({
    amounts: [],
    says: ["the repository holds no such snapshot, and the volume is empty"],
  });
});

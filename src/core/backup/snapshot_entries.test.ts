import { expect, test } from "vitest";
import type { SnapshotAnswer } from "../../wire/report.ts";
import { snapshotEntry } from "./snapshot_entries.ts";

const answer = (snapshot: object, unreadable: readonly string[]) =>
  ({
    source: "home/data",
    unchanged: false,
    losses: [],
    unreadable,
    snapshot: {
      id: "k1",
      identity: { username: "data", hostname: "home", path: "/pvc/data" },
      fidelity: "Full",
      ...snapshot,
    },
  }) as unknown as SnapshotAnswer;

test.each([
  ["everything was read", { files: 5 }, [], undefined],
  ["one file of many was left out", { files: 5, failedFiles: 1 }, ["a.txt"], undefined],
  ["the volume is empty", { files: 0 }, [], undefined],
  ["nothing could be read", { files: 0, failedFiles: 1 }, ["pgdata/"], "nothing could be read: pgdata/"],
  [
    "a folder could not be read",
    { files: 5, failedFiles: 5 },
    ["a/", "b", "c", "d"],
    "folders could not be read, and what is in them is not known: a/, b, c and 2 more",
  ],
  ["the engine said so itself", { files: 5, incomplete: "it stopped" }, ["a/"], "it stopped"],
])("a snapshot where %s lacks: %4$s", (_, snapshot, unreadable, wanted) => {
  expect(snapshotEntry(answer(snapshot, unreadable)).incomplete).toBe(wanted);
});

import { expect, test } from "vitest";
import { parseSnapshot } from "./snapshot_record.ts";

const of = (more: object) =>
  parseSnapshot({ id: "a1", tree: "t1", paths: ["/data"], time: "2026-05-24T00:00:00Z", ...more })?.snapshot;

test.each([
  [{ username: "root", hostname: "volsync" }, "root@volsync"],
  [{ hostname: "volsync" }, "unknown@volsync"],
  [{ username: "", hostname: "" }, "unknown@unknown"],
])("a snapshot of %j is of %s", (record, text) => {
  const identity = of(record)?.identity;
  expect(`${identity?.username}@${identity?.hostname}`).toBe(text);
});

test.each([
  ["that were left out by its run's leave", ["holdfast-left-out=3"], { failedFiles: 3 }],
  ["that were not", ["holdfast-incomplete=2"], { failedFiles: 2, incomplete: "2 files could not be read" }],
  ["of which there are none", [], {}],
])("a snapshot knows of files %s", (_, tags, known) => {
  const { failedFiles, incomplete } = of({ tags }) ?? {};
  expect({ failedFiles, incomplete }).toEqual(known);
});

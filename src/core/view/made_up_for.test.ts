import { expect, test } from "vitest";
import { failedForGood } from "./made_up_for.ts";

const run = (name: string, phase: string, minute: number, same = "a") => ({
  apiVersion: "v1",
  kind: "Run",
  metadata: { name, uid: name, resourceVersion: "1", creationTimestamp: `2026-05-24T12:0${minute}:00Z` },
  status: { phase },
  same,
});

test("a run that failed counts until a later one that does the same succeeds", () => {
  const runs = [
    run("old", "Failed", 1),
    run("good", "Completed", 2),
    run("earlier", "Succeeded", 1),
    run("new", "Failed", 3),
    run("other", "Failed", 1, "b"),
    run("going", "Running", 4),
  ];
  expect(failedForGood(runs, ({ same }) => same).map(({ metadata }) => metadata.name)).toEqual([
    "new",
    "other",
  ]);
});

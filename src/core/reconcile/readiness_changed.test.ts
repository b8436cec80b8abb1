import { expect, test } from "vitest";
import type { ObjectKey } from "../../kube/object.ts";
import { readyNas } from "../testing/samples.ts";
import { readinessChanged } from "./readiness_changed.ts";

const key = "billing/nas" as ObjectKey;
const change = (object: ReturnType<typeof readyNas>) =>
  readinessChanged({ type: "updated", key, object, previous: readyNas() });

test("what goes on at a repository is no news for those who use it", () => {
  expect(change(readyNas({ status: { runs: { running: 3, waiting: 5 } } }))).toBe(false);
  expect(change(readyNas({ status: { lastContactAt: "2026-05-24T02:13:00Z" } }))).toBe(false);
});

test("nor is what it says besides", () => {
  const changed = (status: object) => change(readyNas({ status }));
  expect(changed({ conditions: [{ type: "PruningPaused", status: "True" }] })).toBe(false);
  expect(changed({ phase: "Degraded" })).toBe(true);
  expect(changed({ observedGeneration: 2 })).toBe(true);
  expect(changed({ resolved: { identity: { username: "other" } } })).toBe(true);
});

test("that it comes, goes, is edited or can be used is", () => {
  expect(readinessChanged({ type: "added", key, object: readyNas() })).toBe(true);
  expect(readinessChanged({ type: "removed", key, previous: readyNas() })).toBe(true);
  expect(change(readyNas({ metadata: { generation: 2 } }))).toBe(true);
  expect(change(readyNas({ metadata: { annotations: { a: "b" } } }))).toBe(true);
  expect(change(readyNas({ status: { phase: "Degraded" } }))).toBe(true);
});

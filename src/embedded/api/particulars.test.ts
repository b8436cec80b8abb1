import { expect, test } from "vitest";
import { builtinKinds } from "../kinds/builtin_kinds.ts";
import type { Stored } from "../store/store.ts";
import { withPhaseTime } from "./particulars.ts";

const kind = builtinKinds.find(({ resource }) => resource.kind === "PersistentVolume");
if (!kind) throw new Error("there are no volumes");
const volume = (status: object) =>
  ({ apiVersion: "v1", kind: "PersistentVolume", status }) as unknown as Stored;
const then = "2026-01-01T00:00:00Z";
const now = "2026-01-02T00:00:00Z";
const other = "2026-01-03T00:00:00Z";

test.each([
  ["another phase begins now", { phase: "Bound", lastPhaseTransitionTime: then }, now],
  ["the same phase goes on", { phase: "Available", lastPhaseTransitionTime: then }, then],
  ["who moves it may say when", { phase: "Bound", lastPhaseTransitionTime: other }, other],
])("%s", (_, status, since) => {
  const before = volume({ phase: "Available", lastPhaseTransitionTime: then });
  expect(withPhaseTime(kind, before, volume(status), now).status).toEqual({
    ...status,
    lastPhaseTransitionTime: since,
  });
});

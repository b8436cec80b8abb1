import { expect, test } from "vitest";
import { HIDDEN, type ObservedSource } from "./observed_staging.ts";
import { CAPTURED_FOR, STAGED_FOR } from "./staged_marks.ts";
import { stagedOf } from "./staged_of.ts";
import { claim, copy, copyVolume, owner, readySnapshot } from "./testing/staging_samples.ts";

const OTHERS = { labels: { [STAGED_FOR]: "another" } };
const seen = (staged: object, source = claim()) => ({ claim: source, staged }) as unknown as ObservedSource;

test("clean-up sees what was made for its owner", () => {
  const staged = { claim: copy(), volume: copyVolume("Delete"), snapshot: readySnapshot(), content: HIDDEN };
  expect(stagedOf(owner, [seen(staged)]).sources).toEqual([staged]);
});

test.each([
  ["a claim of the copy's name that is somebody's own", { claim: copy("Bound", { labels: {} }) }],
  ["another's copy", { claim: copy("Bound", OTHERS) }],
  ["another's snapshot", { snapshot: readySnapshot(OTHERS) }],
  ["a snapshot that somebody took", { snapshot: readySnapshot({ labels: {} }) }],
])("clean-up never sees %s", (_, staged) => {
  expect(stagedOf(owner, [seen(staged)])).toEqual({ sources: [{}], group: undefined, marked: [] });
});

test("a source is marked by its owner alone", () => {
  const marked = (uid: string) => claim({}, {}, { labels: { [CAPTURED_FOR]: uid } });
  expect(stagedOf(owner, [seen({}, marked("owner-1"))]).marked).toHaveLength(1);
  expect(stagedOf(owner, [seen({}, marked("another"))]).marked).toEqual([]);
});

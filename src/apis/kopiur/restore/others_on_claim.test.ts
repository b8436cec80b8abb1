import { expect, test } from "vitest";
import { FIRST_ATTEMPT } from "../../../core/work/run_record.ts";
import type { Restore } from "../../../kinds/kopiur/generated/restore.ts";
import type { KopiurCaches } from "../caches.ts";
import { AT, restore } from "../testing/samples.ts";
import { othersOnClaim } from "./others_on_claim.ts";

const pinned = { resolved: { snapshotID: "k1", pinnedAt: AT } };
const writing = { ...pinned, work: { restore: { ...FIRST_ATTEMPT, job: "uid-job" } } };
const at = (name: string, creationTimestamp: string, status?: object) =>
  restore({ metadata: { name, uid: `uid-${name}`, creationTimestamp }, ...(status ? { status } : {}) });
const mine = at("mine", "2026-05-02T00:00:00Z", pinned);
const before = (...others: readonly Restore[]) => {
  const restores = { indexed: () => [mine, ...others] } as unknown as KopiurCaches["restores"];
  return othersOnClaim({ restores }, mine)?.metadata.name;
};

test.each<[string, readonly Restore[], string | undefined]>([
  ["nobody, when there is no other", [], undefined],
  ["an older one that knows what to write", [at("old", "2026-05-01T00:00:00Z", pinned)], "old"],
  ["no older one that still looks for its source", [at("old", "2026-05-01T00:00:00Z")], undefined],
  ["no younger one", [at("young", "2026-05-03T00:00:00Z", pinned)], undefined],
  ["a younger one that writes already", [at("young", "2026-05-03T00:00:00Z", writing)], "young"],
  ["the smaller UID, of two of the same second", [at("a", "2026-05-02T00:00:00Z", pinned)], "a"],
])("before it goes %s", (_, others, expected) => {
  expect(before(...others)).toBe(expected);
});

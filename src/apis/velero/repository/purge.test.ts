import { expect, test } from "vitest";
import type { BackupRepository } from "../../../kinds/velero/generated/backup_repository.ts";
import { leftoversOf } from "../data_path/left_behind.ts";
import { sampleBackup } from "../data_path/testing/samples.ts";
import { afterFailure, nextPurge, type Purge, purgeOf } from "./purge.ts";

const NOW = Date.parse("2026-01-01T12:00:00Z");
const since = "2026-01-01T12:00:00Z";
const failed = (completionTimestamp: string, uid = "u1") => ({
  ...sampleBackup,
  metadata: { ...sampleBackup.metadata, uid, annotations: { "holdfast.dev/leftovers": "1" } },
  status: { phase: "Failed" as const, completionTimestamp },
});
const due = failed("2026-01-01T11:50:00Z");
const fresh = failed("2026-01-01T11:55:00Z", "u2");
const held: Purge = { runs: [], companionsOf: ["a"], since, notBefore: "2026-01-01T12:30:00Z" };

test.each<[string, Partial<Parameters<typeof nextPurge>[0]>, ReturnType<typeof nextPurge>]>([
  ["nothing where nothing is left", { backups: [sampleBackup] }, {}],
  [
    "what a backup left whose mover can no longer be at work, and no other",
    { backups: [due, fresh] },
    { purge: { runs: leftoversOf(due), companionsOf: [], since } },
  ],
  [
    "nothing before movers must have ended",
    { backups: [fresh] },
    { wakeAt: Date.parse("2026-01-01T12:05:00Z") },
  ],
  [
    "records of backups that are gone",
    { gone: ["a", "b", "a"] },
    { purge: { runs: [], companionsOf: ["a", "b"], since } },
  ],
  [
    "nothing for a while after a failure",
    { memory: held, backups: [due] },
    { wakeAt: Date.parse("2026-01-01T12:30:00Z") },
  ],
  [
    "nothing then, though more has gone, which is remembered",
    { memory: held, gone: ["b"] },
    { purge: { ...held, companionsOf: ["a", "b"] }, wakeAt: Date.parse("2026-01-01T12:30:00Z") },
  ],
  [
    "everything once that is over",
    { memory: { ...held, notBefore: "2026-01-01T11:59:00Z" }, backups: [due], gone: ["b"] },
    { purge: { runs: leftoversOf(due), companionsOf: ["a", "b"], since } },
  ],
])("nextPurge() deletes %s", (_, view, next) => {
  expect(nextPurge({ memory: undefined, backups: [], gone: [], now: NOW, ...view })).toEqual(next);
});

test("afterFailure() keeps what nobody else remembers, and tries again in an hour", () => {
  const purge = { runs: ["r"], companionsOf: ["a"], since };
  expect(afterFailure(purge, NOW)).toEqual({
    runs: [],
    companionsOf: ["a"],
    since,
    notBefore: "2026-01-01T13:00:00Z",
  });
});

test.each([
  [undefined, undefined],
  ["{", undefined],
  ['{"runs":"all","companionsOf":[]}', undefined],
  [JSON.stringify(held), held],
])("purgeOf() reads %j", (text, purge) => {
  const annotations = text === undefined ? {} : { "holdfast.dev/purge": text };
  expect(purgeOf({ metadata: { annotations } } as unknown as BackupRepository)).toEqual(purge);
});

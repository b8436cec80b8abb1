import { expect, test } from "vitest";
import type { BackupRepository } from "../../../kinds/velero/generated/backup_repository.ts";
import type { Left } from "../data_path/left_behind.ts";
import { afterFailure, afterSuccess, isUnderWay, nextPurge, type Purge, purgeOf } from "./purge.ts";

const NOW = Date.parse("2026-01-01T12:00:00Z");
const since = "2026-01-01T12:00:00Z";
const at = (time: string) => `2026-01-01T${time}Z`;
const due: Left = { run: "due", due: at("12:00:00") };
const fresh: Left = { run: "fresh", due: at("12:05:00") };
const record: Left = { run: "record" };
const rest = { runs: [], companionsOf: [], since };
const held: Purge = { ...rest, left: [record], notBefore: at("12:30:00") };

test.each<[string, Partial<Parameters<typeof nextPurge>[0]>, ReturnType<typeof nextPurge>]>([
  ["nothing where nothing is left", {}, {}],
  [
    "what a backup left whose mover can no longer be at work, and no other",
    { left: [due, fresh] },
    { purge: { ...rest, runs: ["due"], left: [due, fresh] } },
  ],
  [
    "nothing before movers must have ended, but remembers it: the backup may be deleted by then",
    { left: [fresh] },
    { purge: { ...rest, left: [fresh] }, wakeAt: Date.parse(at("12:05:00")) },
  ],
  [
    "nothing before, and writes nothing that is known",
    { memory: { ...rest, left: [fresh] }, left: [fresh] },
    { wakeAt: Date.parse(at("12:05:00")) },
  ],
  [
    "records of backups that are gone",
    { left: [record, { run: "b" }, record] },
    { purge: { ...rest, companionsOf: ["record", "b"], left: [record, { run: "b" }] } },
  ],
  ["nothing for a while after a failure", { memory: held }, { wakeAt: Date.parse(at("12:30:00")) }],
  [
    "nothing then, though there is more, which is remembered",
    { memory: held, left: [due] },
    { purge: { ...held, left: [record, due] }, wakeAt: Date.parse(at("12:30:00")) },
  ],
  [
    "everything once that is over",
    { memory: { ...held, notBefore: at("11:59:00") }, left: [due] },
    { purge: { ...rest, runs: ["due"], companionsOf: ["record"], left: [record, due] } },
  ],
])("nextPurge() deletes %s", (_, view, next) => {
  expect(nextPurge({ memory: undefined, left: [], now: NOW, ...view })).toEqual(next);
});

test("nextPurge() deletes many in turn, and forgets none", () => {
  const left = Array.from({ length: 120 }, (_, n): Left => ({ run: `r${n}` }));
  let { purge } = nextPurge({ memory: undefined, left, now: NOW });
  const deleted: string[] = [];
  for (let turn = 0; turn < 3 && purge; turn++) {
    expect(isUnderWay(purge)).toBe(true);
    deleted.push(...purge.companionsOf);
    const memory = afterSuccess(purge);
    if (memory) expect(isUnderWay(memory)).toBe(false);
    purge = nextPurge({ memory, left: [], now: NOW }).purge;
  }
  expect(deleted).toEqual(left.map(({ run }) => run));
  expect(purge).toBeUndefined();
});

test("afterFailure() forgets nothing, and tries again in an hour", () => {
  const purge = { runs: ["due"], companionsOf: ["record"], since, left: [record, due, fresh] };
  expect(afterFailure(purge, NOW)).toEqual({
    ...rest,
    left: [record, due, fresh],
    notBefore: at("13:00:00"),
  });
});

test.each([
  [undefined, undefined],
  ["{", undefined],
  ['{"runs":"all","companionsOf":[]}', undefined],
  ['{"runs":[],"companionsOf":[],"left":"all"}', undefined],
  ['{"runs":[],"companionsOf":[],"left":[{"run":"r","due":"soon"}]}', undefined],
  [JSON.stringify(held), held],
])("purgeOf() reads %j", (text, purge) => {
  const annotations = text === undefined ? {} : { "holdfast.dev/purge": text };
  expect(purgeOf({ metadata: { annotations } } as unknown as BackupRepository)).toEqual(purge);
});

import { expect, test } from "vitest";
import { DELETION_REASON } from "../../../core/reconcile/annotations.ts";
import type { ResticBackup } from "../../../kinds/autorestore/generated/restic_backup.ts";
import type { ResticRepository } from "../../../kinds/autorestore/generated/restic_repository.ts";
import { GROUP } from "../../../kinds/autorestore/group.ts";
import type { KubeObject, ObjectMeta } from "../../../kube/object.ts";
import { VirtualClock } from "../../../lib/virtual_clock.ts";
import { claimKeyOf } from "../caches.ts";
import { NOW, sampleBackup, sampleRepository } from "../testing/samples.ts";
import { blockedDeletions, deletionGuard, guardedRepository } from "./deletion_guard.ts";

const entry = { id: "r1", identity: { username: "autorestore", hostname: "home", sourcePath: "/home/data" } };

function good(name: string, pvc = "data", more: Partial<ObjectMeta> = {}): ResticBackup {
  const status = { phase: "Completed", snapshotID: "r1", state: { snapshots: [entry] } } as const;
  const backup = sampleBackup(name, { pvc, status });
  return { ...backup, metadata: { ...backup.metadata, ...more } };
}

const going = (name: string, pvc = "data", more: Partial<ObjectMeta> = {}) =>
  good(name, pvc, { deletionTimestamp: new Date(NOW - 60_000).toISOString(), ...more });

/** What keeps the first backup from being deleted, once its repository has taken note of all of them. */
async function heldFirst(
  all: readonly ResticBackup[],
  {
    spec = {},
    metadata = {},
  }: { spec?: Partial<ResticRepository["spec"]>; metadata?: Partial<ObjectMeta> } = {},
  namespace: Partial<ObjectMeta> = {},
) {
  const clock = new VirtualClock(NOW);
  const caches = {
    backups: {
      indexed: (index: string, key: string) =>
        index === "autorestore-claim" ? all.filter((one) => claimKeyOf(one) === key) : all,
    },
    namespaces: { get: () => ({ metadata: { name: "home", ...namespace } }) as KubeObject },
  } as unknown as Parameters<typeof deletionGuard>[0];
  const guard = deletionGuard(caches, clock);
  const sample = sampleRepository(spec);
  const object = { ...sample, metadata: { ...sample.metadata, ...metadata } };
  const { recent } = guard.survey(guardedRepository(object));
  const noted = guardedRepository({ ...object, status: { state: { deletions: { recent } } } });
  const [first] = all;
  if (!first) throw new Error("no backup");
  guard.holds(first, noted);
  await clock.advance(20_000);
  return guard.holds(first, noted)?.readyState;
}

const many = (count: number) =>
  Array.from({ length: count }, (_, i) => [
    going(`gone-${i}`, `pvc-${i}`),
    good(`kept-${i}`, `pvc-${i}`),
  ]).flat();

test("one of several ResticBackups of a PVC is deleted", async () => {
  expect(await heldFirst([going("a"), good("b")])).toBeUndefined();
});

test("the last good ResticBackup of a PVC is held, with the way out", async () => {
  const held = await heldFirst([going("a"), good("b", "other")]);
  expect(held).toMatchObject({ reason: "DeletionHeld" });
  expect(held?.message).toBe(
    `This is the last good ResticBackup of the PVC, so the operator keeps the snapshot for now. To delete it, annotate ResticRepository home/nas with ${GROUP}/acknowledge-deletions and the value of its status.deletions.acknowledgeToken. To keep the snapshot, annotate this ResticBackup with ${GROUP}/skip-snapshot-cleanup: "true".`,
  );
});

test.each([
  [
    "most ResticBackups of a PVC are held",
    [going("a"), going("b"), good("c")],
    {},
    /^Most good ResticBackups/,
  ],
  [
    "many at once are held",
    many(21),
    {},
    /^More than 20 ResticBackups in ResticRepository home\/nas were deleted within 10m/,
  ],
  ["as many as are usual go", many(20), {}, undefined],
  [
    "the repository sets the limit",
    many(3),
    { spec: { deletionGuard: { maxDeletions: 2, window: "10m", lastBackups: "Hold" } } },
    /^More than 2 /,
  ],
  [
    "the repository lets the last one go",
    [going("a")],
    { spec: { deletionGuard: { maxDeletions: 2, window: "10m", lastBackups: "Delete" } } },
    undefined,
  ],
  [
    "what a person has acknowledged goes",
    [going("a")],
    { metadata: { annotations: { [`${GROUP}/acknowledge-deletions`]: new Date(NOW).toISOString() } } },
    undefined,
  ],
  [
    "what retention deletes does not count",
    [going("a", "data", { annotations: { [`${GROUP}/${DELETION_REASON}`]: "Retention" } })],
    {},
    undefined,
  ],
] as const)("%s", async (_, all, repository, message) => {
  const held = await heldFirst(all, repository);
  if (message) expect(held?.message).toMatch(message);
  else expect(held).toBeUndefined();
});

test("a namespace that goes is not held up", async () => {
  expect(await heldFirst([going("a")], {}, { deletionTimestamp: "2026-05-24T11:59:00Z" })).toBeUndefined();
});

test("a deletion that failed is shown at the repository", () => {
  const condition = {
    type: "SnapshotDeletionFailed",
    status: "True",
    reason: "Locked",
    message: "",
  } as const;
  const failed = going("a");
  const conditions = [{ ...condition, lastTransitionTime: "2026-05-24T11:59:30Z" }];
  expect(blockedDeletions({ ...failed, status: { ...failed.status, conditions } })).toEqual([
    { snapshotID: "r1", backup: "home/a", since: "2026-05-24T11:59:00.000Z", reason: "Locked" },
  ]);
  expect(blockedDeletions(failed)).toEqual([]);
});

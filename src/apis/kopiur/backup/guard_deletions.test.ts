import { describe, expect, test } from "vitest";
import { SAFETY_TAG } from "../../../core/catalog/passed_over.ts";
import { NOW } from "../../../core/testing/samples.ts";
import { ANNOTATIONS, DELETION_REASON_ANNOTATION } from "../../../kinds/kopiur/annotations.ts";
import { MOST_DELETIONS, MOST_REMEMBERED } from "../../../kinds/kopiur/deletion_limits.ts";
import type { Backup } from "../../../kinds/kopiur/generated/backup.ts";
import type { BackupConfig } from "../../../kinds/kopiur/generated/backup_config.ts";
import { repositorySchema } from "../../../kinds/kopiur/generated/repository.ts";
import type { SnapshotStatus } from "../../../kinds/kopiur/parts.ts";
import type { KubeObject } from "../../../kube/object.ts";
import { validate } from "../../../kube/schema/validate.ts";
import { VirtualClock } from "../../../lib/virtual_clock.ts";
import type { AnyRepository } from "../references.ts";
import { backup, config, readyNas } from "../testing/samples.ts";
import { deletionGuard } from "./guard_deletions.ts";

const GUARD = { deletionGuard: { maxDeletions: 2, window: "10m", lastBackups: "Delete" } } as const;
const entry = {
  kopiaSnapshotID: "k1",
  identity: { username: "data", hostname: "billing", sourcePath: "/pvc/data" },
};

/** A Backup that somebody deleted so many seconds ago. */
function deleted(name: string, secondsAgo = 60, more: Parameters<typeof backup>[0] = {}): Backup {
  const deletionTimestamp = new Date(NOW - secondsAgo * 1000).toISOString();
  return backup({
    ...more,
    metadata: { name, uid: `uid-${name}`, deletionTimestamp, ...more.metadata },
    status: { snapshots: [entry], resolved: { deletionPolicy: "Delete" }, ...more.status },
  });
}

function guarding(
  backups: readonly Backup[],
  namespace: Partial<KubeObject["metadata"]> = {},
  recipe?: BackupConfig,
) {
  const clock = new VirtualClock(NOW);
  const place = { metadata: { name: "billing", ...namespace } } as KubeObject;
  const caches = {
    backups: { indexed: () => backups },
    configs: { get: () => recipe },
    namespaces: { get: () => place },
  } as unknown as Parameters<typeof deletionGuard>[0];
  return { guard: deletionGuard(caches, clock), clock };
}

/** The repository, after it has taken note of the deletions. */
function noted(
  guard: ReturnType<typeof deletionGuard>,
  repository: AnyRepository = readyNas({ spec: GUARD }),
): AnyRepository {
  const { recent } = guard.survey(repository);
  return { ...repository, status: { ...repository.status, deletions: { recent } } } as AnyRepository;
}

describe("DeletionGuard", () => {
  test("a single deletion goes on after a pause, once its repository remembers it", async () => {
    const one = deleted("one");
    const { guard, clock } = guarding([one]);
    const repository = noted(guard);
    expect(guard.holds(one, repository)).toMatchObject({
      readyState: { reason: "DeletionPaused" },
      wakeAt: NOW + 10_000,
    });
    await clock.advance(10_000);
    expect(guard.holds(one, readyNas({ spec: GUARD }))).toMatchObject({
      readyState: { reason: "DeletionPaused" },
    });
    expect(guard.holds(one, repository)).toBeUndefined();
  });

  test("the last good Backup of a volume is held, and most of a BackupConfig's, until somebody acknowledges it", async () => {
    const strict = { deletionGuard: { maxDeletions: 20, window: "10m", lastBackups: "Hold" } } as const;
    const acknowledged = { [ANNOTATIONS.acknowledgeDeletions]: new Date(NOW).toISOString() };
    const held = async (backups: readonly Backup[], metadata = {}) => {
      const { guard, clock } = guarding(backups);
      const repository = noted(guard, readyNas({ spec: strict, metadata }));
      await clock.advance(20_000);
      const [first] = backups;
      return first && guard.holds(first, repository)?.readyState.message;
    };
    const kept = (name: string) =>
      backup({ metadata: { name, uid: `uid-${name}` }, status: { phase: "Succeeded", snapshots: [entry] } });
    expect(await held([deleted("one")])).toMatch(
      /^This is the last good Backup of a volume, so that nothing is deleted/,
    );
    expect(await held([deleted("one"), kept("b")])).toBeUndefined();
    expect(await held([deleted("one"), deleted("two"), kept("b")])).toMatch(
      /^Most good Backups of the BackupConfig/,
    );
    expect(await held([deleted("one")], { annotations: acknowledged })).toBeUndefined();
  });

  test("a Backup of an emptied volume does not stand in for the last good one, until somebody accepts it", async () => {
    const strict = { deletionGuard: { maxDeletions: 20, window: "10m", lastBackups: "Hold" } } as const;
    const full = deleted("full", 60, {
      status: { phase: "Deleting", snapshots: [{ ...entry, pvc: "billing/data", sizeBytes: 1000 }] },
    });
    const left = (of: Partial<SnapshotStatus>, more: Parameters<typeof backup>[0] = {}) =>
      backup({
        ...more,
        metadata: { name: "left", uid: "uid-left" },
        status: {
          phase: "Succeeded",
          snapshots: [{ ...entry, pvc: "billing/data", sizeBytes: 1000, ...of }],
          timing: { startTime: new Date(NOW).toISOString() },
        },
      });
    const reason = async (other: Backup, annotations = {}) => {
      const { guard, clock } = guarding([full, other], {}, config({ metadata: { annotations } }));
      const repository = noted(guard, readyNas({ spec: strict }));
      await clock.advance(20_000);
      return guard.holds(full, repository)?.readyState.reason;
    };
    expect(await reason(left({}))).toBeUndefined();
    expect(await reason(left({ sizeBytes: 0 }))).toBe("DeletionHeld");
    expect(await reason(left({ sizeBytes: 0 }), { [ANNOTATIONS.acknowledgeShrink]: "left" })).toBeUndefined();
    expect(await reason(left({ incomplete: "nothing could be read" }))).toBe("DeletionHeld");
    expect(await reason(left({}, { spec: { tags: { [SAFETY_TAG]: "r" } } }))).toBe("DeletionHeld");
  });

  test("one too many, and all of them are held until somebody acknowledges them", async () => {
    const crowd = ["a", "b", "c"].map((name, i) => deleted(name, 60 + i));
    const { guard, clock } = guarding(crowd);
    const repository = noted(guard);
    await clock.advance(20_000);
    for (const one of crowd) {
      const { readyState } = guard.holds(one, repository) ?? {};
      expect(readyState).toMatchObject({ reason: "DeletionHeld", warning: true });
      expect(readyState?.message).toContain(
        "More than 2 Backups of Repository billing/nas were deleted within 10m",
      );
      expect(readyState?.message).toContain(ANNOTATIONS.acknowledgeDeletions);
    }
    const token = guard.survey(repository).held?.token ?? "";
    const annotations = { [ANNOTATIONS.acknowledgeDeletions]: token };
    const acknowledged = {
      ...repository,
      metadata: { ...repository.metadata, annotations },
    } as AnyRepository;
    expect(crowd.map((one) => guard.holds(one, acknowledged))).toEqual([undefined, undefined, undefined]);
  });

  test("those that were carried out count, also when nobody but the repository remembers them", async () => {
    const before = guarding([deleted("a", 90), deleted("b", 80)]);
    const repository = noted(before.guard);
    const third = deleted("c", 10);
    const { guard, clock } = guarding([third]);
    const later = noted(guard, repository);
    await clock.advance(20_000);
    expect(guard.holds(third, later)).toMatchObject({ readyState: { reason: "DeletionHeld" } });
  });

  test("most of a BackupConfig's are held, also where they go one after the other", async () => {
    const strict = { deletionGuard: { maxDeletions: 20, window: "10m", lastBackups: "Hold" } } as const;
    const kept = (name: string) =>
      backup({ metadata: { name, uid: `uid-${name}` }, status: { phase: "Succeeded", snapshots: [entry] } });
    const names = Array.from({ length: 11 }, (_, i) => `day-${i}`);
    let repository = readyNas({ spec: strict });
    const heldAfter = async (secondsBetween: number, annotations = {}) => {
      for (const [i, name] of names.entries()) {
        const one = deleted(name, (names.length - i) * secondsBetween);
        const { guard, clock } = guarding([one, ...names.slice(i + 1).map(kept)]);
        repository = noted(guard, { ...repository, metadata: { ...repository.metadata, annotations } });
        await clock.advance(20_000);
        if (guard.holds(one, repository)) return i;
      }
      return undefined;
    };
    expect(await heldAfter(60)).toBe(5);
    repository = readyNas({ spec: strict });
    expect(await heldAfter(3600)).toBe(5);
    const acknowledged = { [ANNOTATIONS.acknowledgeDeletions]: new Date(NOW).toISOString() };
    expect(await heldAfter(60, acknowledged)).toBeUndefined();
  });

  test("what went of another BackupConfig does not count, nor what somebody acknowledged", async () => {
    const strict = { deletionGuard: { maxDeletions: 20, window: "10m", lastBackups: "Hold" } } as const;
    const others = ["a", "b", "c", "d"].map((name, i) =>
      deleted(name, 600 + i, { spec: { configRef: { name: "other" } } }),
    );
    const same = ["a", "b", "c", "d"].map((name, i) => deleted(name, 600 + i));
    const reason = async (before: readonly Backup[], annotations = {}) => {
      const repository = noted(guarding(before).guard, readyNas({ spec: strict, metadata: { annotations } }));
      const kept = backup({ metadata: { name: "k" }, status: { phase: "Succeeded", snapshots: [entry] } });
      const { guard, clock } = guarding([deleted("one"), kept]);
      const after = noted(guard, repository);
      await clock.advance(20_000);
      return guard.holds(deleted("one"), after)?.readyState.reason;
    };
    const early = { [ANNOTATIONS.acknowledgeDeletions]: new Date(NOW - 300_000).toISOString() };
    expect(await reason(same)).toBe("DeletionHeld");
    expect(await reason(same, early)).toBeUndefined();
    expect(await reason(others)).toBeUndefined();
  });

  test.each([150, MOST_DELETIONS])("a limit of %i holds as any other", async (maxDeletions) => {
    const done = Array.from({ length: maxDeletions }, (_, i) => deleted(`one-${i}`, 60 + i));
    const limited = readyNas({
      spec: { deletionGuard: { maxDeletions, window: "10m", lastBackups: "Delete" } },
    });
    const repository = noted(guarding(done).guard, limited);
    const last = deleted("last", 10);
    const { guard, clock } = guarding([last]);
    const later = noted(guard, repository);
    await clock.advance(20_000);
    expect(guard.holds(last, later)).toMatchObject({ readyState: { reason: "DeletionHeld" } });
  });

  test("the repository's status has room for all that is remembered", () => {
    const crowd = Array.from({ length: MOST_REMEMBERED + 50 }, (_, i) => deleted(`one-${i}`, 60 + i));
    const { recent } = guarding(crowd).guard.survey(readyNas({ spec: GUARD }));
    expect(recent).toHaveLength(MOST_REMEMBERED);
    const { status = {} } = repositorySchema.properties ?? {};
    expect(validate(status, { deletions: { recent } })).toEqual([]);
  });

  test("what an earlier version remembered at greater length counts once, and fits", () => {
    const { guard } = guarding([deleted("one", 60)]);
    const { recent } = guard.survey(readyNas({ spec: GUARD }));
    const before = recent.map((entry) => entry.replace("-", "-zz"));
    const earlier = readyNas({ spec: GUARD, status: { deletions: { recent: before } } });
    expect(guard.survey(earlier).recent).toEqual(recent);
  });

  test("the repository forgets what lies too far back to matter", () => {
    const old = noted(guarding([deleted("old", 90_000)]).guard);
    const { guard } = guarding([deleted("new")]);
    expect(guard.survey(old).recent).toHaveLength(1);
  });

  describe("what the repository need not remember is not waited for", () => {
    const acknowledging = (repository: AnyRepository, token: string) => {
      const annotations = { [ANNOTATIONS.acknowledgeDeletions]: token };
      return { ...repository, metadata: { ...repository.metadata, annotations } } as AnyRepository;
    };

    test("a deletion that was asked for longer than a window before another one", async () => {
      const [early, late] = [deleted("early", 1000), deleted("late", 60)];
      const { guard, clock } = guarding([early, late]);
      const repository = noted(guard);
      await clock.advance(10_000);
      expect([early, late].map((one) => guard.holds(one, repository))).toEqual([undefined, undefined]);
      expect(guard.holds(late, readyNas({ spec: GUARD }))).toMatchObject({
        readyState: { reason: "DeletionPaused" },
      });
    });

    test("those that were held, when another one came long after them and all are acknowledged", async () => {
      const crowd = ["a", "b", "c"].map((name, i) => deleted(name, 2000 + i));
      const all = [...crowd, deleted("late", 60)];
      const { guard, clock } = guarding(all);
      const repository = noted(guard);
      await clock.advance(20_000);
      expect(crowd.map((one) => guard.holds(one, repository)?.readyState.reason)).toEqual(
        crowd.map(() => "DeletionHeld"),
      );
      const { token = "" } = guard.survey(repository).held ?? {};
      const acknowledged = acknowledging(repository, token);
      expect(all.map((one) => guard.holds(one, acknowledged))).toEqual(all.map(() => undefined));
    });

    test("what is more than it can remember, once it is acknowledged", async () => {
      const crowd = Array.from({ length: MOST_REMEMBERED + 50 }, (_, i) => deleted(`one-${i}`, 60 + i));
      const before = guarding(crowd);
      const repository = noted(before.guard);
      const { token = "" } = before.guard.survey(repository).held ?? {};
      // The newest have been carried out, and keep their places.
      const rest = crowd.slice(MOST_REMEMBERED);
      const { guard, clock } = guarding(rest);
      const acknowledged = acknowledging(noted(guard, repository), token);
      await clock.advance(20_000);
      expect(rest.map((one) => guard.holds(one, acknowledged))).toEqual(rest.map(() => undefined));
    });
  });

  test("a deletion that has begun is not held any more", () => {
    const crowd = ["a", "b", "c"].map((name) =>
      deleted(name, 60, { status: { work: { "delete-x": { attempt: 1 } } } }),
    );
    const { guard } = guarding(crowd);
    expect(crowd.map((one) => guard.holds(one, noted(guard)))).toEqual([undefined, undefined, undefined]);
  });

  test.each([
    [
      "the operator deletes itself",
      { metadata: { annotations: { [DELETION_REASON_ANNOTATION]: "Retention" } } },
    ],
    ["keeps its snapshots", { spec: { deletionPolicy: "Retain" as const } }],
    ["is let go by force", { metadata: { annotations: { [ANNOTATIONS.skipSnapshotCleanup]: "true" } } }],
    ["made nothing", { status: { snapshots: [] } }],
  ])("what %s does not count", (_, more) => {
    const crowd = ["a", "b", "c", "d"].map((name) => deleted(name, 60, more));
    const { guard } = guarding(crowd);
    expect(guard.survey(readyNas({ spec: GUARD }))).toEqual({ release: [], recent: [] });
    expect(guard.holds(crowd[0] as Backup, readyNas({ spec: GUARD }))).toBeUndefined();
  });

  test("what somebody holds counts, though an operator once meant to delete it", () => {
    const annotations = { [DELETION_REASON_ANNOTATION]: "Retention", [ANNOTATIONS.hold]: "true" };
    const crowd = ["a", "b", "c", "d"].map((name) => deleted(name, 60, { metadata: { annotations } }));
    const { guard } = guarding(crowd);
    expect(guard.survey(readyNas({ spec: GUARD })).recent).toHaveLength(4);
    expect(guard.holds(crowd[0] as Backup, readyNas({ spec: GUARD }))).toBeDefined();
  });

  test("what goes with its namespace does not count", () => {
    const { guard } = guarding([deleted("a")], { deletionTimestamp: "2026-05-24T02:00:00Z" });
    expect(guard.survey(readyNas({ spec: GUARD })).recent).toEqual([]);
  });
});

import { describe, expect, test } from "vitest";
import { restore as restoreManifest } from "../../../src/apis/kopiur/admission/testing/manifests.ts";
import { storedOf } from "../../../src/apis/kopiur/admission/testing/memory_door.ts";
import { discoveredStatus } from "../../../src/apis/kopiur/catalog/discovered_backup.ts";
import type { ReadyRepository } from "../../../src/apis/kopiur/references.ts";
import { RESTORES } from "../../../src/apis/kopiur/restore/restore_api.ts";
import { populationProblem } from "../../../src/apis/kopiur/restore/restore_ports.ts";
import { resolveSource, type Sources } from "../../../src/apis/kopiur/restore/restore_source.ts";
import { backup, readyConfig, readyNas, restore } from "../../../src/apis/kopiur/testing/samples.ts";
import { pickSnapshot } from "../../../src/core/restore/answer.ts";
import { decideRestore } from "../../../src/core/restore/decide_restore.ts";
import { decidePopulations } from "../../../src/core/restore/populate/decide_populations.ts";
import type { Pinned } from "../../../src/core/restore/restore.ts";
import { RESTORE, restoreTask } from "../../../src/core/restore/restore_tasks.ts";
import {
  AT,
  failed,
  NOW,
  SETTINGS,
  snapshot,
  succeeded,
  taskPlan,
  UNREACHABLE,
} from "../../../src/core/testing/samples.ts";
import type { Claim } from "../../../src/core/volumes/claim_request.ts";
import { primeMeta } from "../../../src/core/volumes/populator/population_marks.ts";
import type { TaskState } from "../../../src/core/work/task_decision.ts";
import { backupConfigSchema } from "../../../src/kinds/kopiur/generated/backup_config.ts";
import {
  type Restore,
  type RestoreSpec,
  restoreResource,
} from "../../../src/kinds/kopiur/generated/restore.ts";
import { ok } from "../../../src/lib/result.ts";
import type { Snapshot } from "../../../src/wire/snapshot.ts";
import { must, plannedBackup } from "./planned_backup.ts";

/** What a Restore asks for, once its source is named. */
const sourcesOf = (source: RestoreSpec["source"], more: Partial<Sources> = {}): Sources => ({
  restore: restore({ spec: { source, repository: { kind: "Repository", name: "nas" } } }),
  config: readyConfig(),
  target: "data",
  now: NOW,
  ...more,
});
const byIdentity = {
  identity: { username: "data", hostname: "billing", sourcePath: "/pvc/data", offset: 0 },
};
const catalog = (...snapshots: readonly Snapshot[]) =>
  succeeded({ catalog: { stats: { snapshots: 1, storedBytes: 1 }, found: snapshots.length, snapshots } });

/** What follows once the repository has answered. */
function answered(sources: Sources, answer: TaskState) {
  const resolution = resolveSource(sources);
  return decideRestore({
    ...sources,
    api: RESTORES,
    resolution,
    asking: ok(taskPlan("ask", answer)),
    scaled: [],
  });
}

describe("G7: a restore without a snapshot fails, and makes no empty volume", () => {
  const sources = sourcesOf(byIdentity);

  test.each([
    ["there is no snapshot", catalog(), "NoSnapshot"],
    ["nobody knows, since the repository does not answer", failed(UNREACHABLE), "Unreachable"],
  ])("when %s", (_, answer, reason) => {
    const { status, intents } = answered(sources, answer);
    expect(status).toMatchObject({ phase: "Failed" });
    expect(status?.conditions).toContainEqual(
      expect.objectContaining({ type: "Ready", status: "False", reason }),
    );
    expect(status).not.toHaveProperty("resolved");
    expect(intents).toEqual([]);
  });

  test("an unreachable repository is not an empty one, not even where a first deployment may begin empty", () => {
    const fresh = sourcesOf({ fromConfig: { name: "data", offset: 0 } });
    expect(answered(fresh, catalog()).status?.resolved).toMatchObject({ noSnapshot: true });
    expect(answered(fresh, failed(UNREACHABLE)).status).toMatchObject({ phase: "Failed" });
    expect(answered(fresh, failed(UNREACHABLE)).status).not.toHaveProperty("resolved");
  });
});

const MONDAY = snapshot({ id: "monday", run: "run-m", root: "root-m", startedAt: "2026-05-18T02:00:00Z" });
const FRIDAY = snapshot({ id: "friday", run: "run-f", root: "root-f", startedAt: "2026-05-22T02:00:00Z" });

describe("G8: snapshots are there to be looked at, and named", () => {
  test("one that was found in the repository is a Backup, and can be restored as one", () => {
    const status = discoveredStatus(readyNas() as ReadyRepository, MONDAY, undefined, NOW);
    expect(status).toMatchObject({ phase: "Discovered", timing: { startTime: "2026-05-18T02:00:00Z" } });
    const found = backup({ metadata: { name: "found" }, status });
    const sources = sourcesOf({ backupRef: { name: "found" } }, { backup: found });
    expect(must(resolveSource(sources))).toMatchObject({
      type: "Pinned",
      pinned: { snapshotID: "monday", backupRef: { name: "found" } },
    });
  });

  test.each([
    ["the newest", {}, "friday"],
    ["as of a day", { asOf: "2026-05-20T00:00:00Z" }, "monday"],
    ["some steps back", { offset: 1 }, "monday"],
  ])("others are chosen without a Backup: %s", (_, point, id) => {
    expect(pickSnapshot([MONDAY, FRIDAY], point, NOW)?.id).toBe(id);
  });
});

describe("G9: what is restored is decided once", () => {
  test("a newer snapshot changes nothing for a Restore that has begun, nor does the end of its source", () => {
    const sources = sourcesOf({ fromConfig: { name: "data", offset: 0 } });
    const pinned = answered(sources, catalog(MONDAY)).status?.resolved as Pinned;
    expect(pinned).toMatchObject({ snapshotID: "monday", pinnedAt: AT });
    const later = answered({ ...sources, pinned, now: NOW + 1000 }, catalog(FRIDAY, MONDAY));
    expect(later.status?.resolved).toEqual(pinned);
    expect(must(resolveSource({ ...sources, pinned, config: undefined }))).toEqual({
      type: "Pinned",
      pinned,
    });
  });

  test("the mover is told that very snapshot, by more than its ID", () => {
    const pinned = answered(sourcesOf(byIdentity), catalog(MONDAY)).status?.resolved as Pinned;
    const context = { repository: readyNas(), settings: SETTINGS, namespace: "billing", consent: false };
    const place = { purpose: RESTORE, claim: "restored", ours: true, prime: true };
    const { work } = must(restoreTask({ ...context, api: RESTORES, restore: restore() }, place, pinned)).work;
    expect(work).toMatchObject({ restore: { snapshot: { id: "monday", run: "run-m", root: "root-m" } } });
  });
});

describe("G10: a claim is born with its data, however the backup was captured", () => {
  const METHODS = backupConfigSchema.properties?.spec?.properties?.copyMethod?.enum as readonly string[];

  /** A Restore without a target, as claims name it. */
  function passive(): Restore {
    const { spec } = storedOf(
      restoreManifest({ spec: { source: { fromConfig: { name: "data" } } } }),
    ) as Restore;
    const whole = restore();
    return { ...whole, spec };
  }

  const claim = (metadata: object): Claim => ({
    apiVersion: "v1",
    kind: "PersistentVolumeClaim",
    metadata: { ...backup().metadata, ...metadata },
    spec: { storageClassName: "fast" },
    status: { phase: "Pending" },
  });
  const born = claim({ name: "data", uid: "uid-born" });
  const source = { resource: restoreResource, name: "again", uid: "uid-again" };
  const prime = claim({ ...primeMeta(born, source), uid: "uid-prime" });

  function filling(copyMethod: string) {
    const { spec } = plannedBackup({ recipe: { copyMethod } }).config;
    const object = passive();
    const sources = { restore: object, config: readyConfig({ spec }), target: "data", now: NOW };
    const resolution = resolveSource(sources);
    const asking = ok(taskPlan("ask", catalog(MONDAY)));
    const observed = { name: "data", claim: born, bound: undefined, prime, volume: undefined, memory: {} };
    return decidePopulations({
      name: "again",
      restore: object,
      api: RESTORES,
      problem: populationProblem(object, false),
      claims: [{ ...observed, filling: { resolution, asking } }],
      now: NOW,
    });
  }

  test("there are several ways to capture, and Direct is one", () => {
    expect(METHODS).toEqual(expect.arrayContaining(["Snapshot", "Clone", "Direct"]));
  });

  test.each(METHODS)("from a recipe with %s it gets the snapshot all the same", (method) => {
    const { status } = filling(method);
    expect(status).toMatchObject({ phase: "Resolving", resolved: { snapshotID: "monday" } });
    expect(status).toEqual(filling("Direct").status);
  });
});

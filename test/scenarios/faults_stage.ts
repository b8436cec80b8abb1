import { mkdir, mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { expect } from "vitest";
import type { Engine, Repository, RepositoryLocation } from "../../src/engines/engine.ts";
import { describeTree, treeDifferences } from "../../src/engines/testing/tree.ts";
import { type Backup, backupResource } from "../../src/kinds/kopiur/generated/backup.ts";
import { type Restore, restoreResource } from "../../src/kinds/kopiur/generated/restore.ts";
import { ConfigMaps, Jobs, type Pod, Pods } from "../../src/kube/builtin.ts";
import type { Resource } from "../../src/kube/resource.ts";
import { sleep, systemClock } from "../../src/lib/clock.ts";
import { systemRandom } from "../../src/lib/random.ts";
import { systemStreamedProcesses } from "../../src/lib/streamed_process.ts";
import { engineMaker } from "../../src/mover/engine_maker.ts";
import type { EngineName } from "../../src/wire/capabilities.ts";
import type { Snapshot } from "../../src/wire/snapshot.ts";
import { type Keys, testEngineEnv } from "../../tools/images/test_engines.ts";
import { LONG } from "./faults_moments.ts";
import type { Stage } from "./stage.ts";

type Work = Backup | Restore;
type Failure = NonNullable<NonNullable<Backup["status"]>["failure"]>;

/** How a piece of work went. */
export interface Course<T extends Work> {
  readonly object: T;
  /** Everything that its status called a failure on the way, oldest first. */
  readonly failures: readonly Failure[];
}

const ENDS = ["Succeeded", "Completed", "Failed"];

/** Follows a Backup or Restore to its end. Where it would wait for its next attempt, it is edited instead. */
export async function followed<T extends Work>(
  stage: Stage,
  resource: Resource<T>,
  name: string,
  { impatient = true }: { readonly impatient?: boolean } = {},
): Promise<Course<T>> {
  const failures: Failure[] = [];
  const object = await stage.eventually(`${resource.kind} ${name} has ended`, async () => {
    const value = await stage.world.client.get(resource, { namespace: stage.namespace, name });
    const { phase = "", failure, job } = value.status ?? {};
    if (failure && !failures.some(({ at, message }) => at === failure.at && message === failure.message))
      failures.push(failure);
    if (impatient && job?.nextAttemptAt && Date.parse(job.nextAttemptAt) > systemClock.now() + 2_000)
      await edit(stage, resource, name);
    return { done: ENDS.includes(phase), value };
  });
  return { object, failures };
}

export const followedBackup = (stage: Stage, name: string) => followed(stage, backupResource, name);
export const followedRestore = (stage: Stage, name: string) => followed(stage, restoreResource, name);

/** An edit that changes nothing but that it is tried once more: what failed, and what waits, begins anew. */
export async function edit(stage: Stage, resource: Resource<Work>, name: string): Promise<void> {
  const { client } = stage.world;
  const key = { namespace: stage.namespace, name };
  const { spec } = await client.get(resource, key);
  const backoffLimit = ((spec.failurePolicy?.backoffLimit ?? 2) % 50) + 1;
  await client.patch(resource, key, { type: "merge", patch: { spec: { failurePolicy: { backoffLimit } } } });
}

/** The pod of the object's mover, once the mover runs. Undefined when the work ended before that was seen. */
export async function moverOf(
  stage: Stage,
  resource: Resource<Work>,
  name: string,
  purpose: "snapshot" | "restore",
): Promise<Pod | undefined> {
  const { client } = stage.world;
  const look = async () => {
    const { items } = await client.list(Pods, { namespace: stage.namespace });
    const value = items.find(
      ({ metadata, status }) =>
        new RegExp(`^${name}-${purpose}-\\w{12}-\\d+`).test(metadata.name) && status?.phase === "Running",
    );
    const { status } = await client.get(resource, { namespace: stage.namespace, name });
    return { done: value !== undefined || ENDS.includes(status?.phase ?? ""), value };
  };
  // It works for less than a second.
  return stage.eventually(`a mover of ${name} runs`, look, 20);
}

/** The repository as anybody would find it who has its password. */
export async function opened(
  stage: Stage,
  use: (repository: Repository, folder: string) => Promise<void>,
): Promise<void> {
  await openedAt(stage.engine, { ...(await placeOf(stage)), password: stage.password }, use, stage.keys);
}

/** The same for a repository that is in no stage. */
export async function openedAt<T>(
  name: EngineName,
  place: RepositoryLocation,
  use: (repository: Repository, folder: string) => Promise<T>,
  keys?: Keys,
): Promise<T> {
  const folder = await mkdtemp(join(tmpdir(), "faults-"));
  try {
    const engine = await engineHere(name, join(folder, "engine"), keys);
    const repository = await engine.open(place);
    try {
      return await use(repository, folder);
    } finally {
      await repository.close();
    }
  } finally {
    await rm(folder, { recursive: true, force: true });
  }
}

/** A repository that is nobody's here, made in a folder. */
export async function makeRepository(stage: Stage, path: string, password: string): Promise<void> {
  const folder = await mkdtemp(join(tmpdir(), "faults-"));
  try {
    await mkdir(path);
    const engine = await engineHere(stage.engine, folder, stage.keys);
    await (await engine.create({ backend: { filesystem: { path } }, credentials: {}, password })).close();
  } finally {
    await rm(folder, { recursive: true, force: true });
  }
}

/** An engine as movers have it, in this process. */
function engineHere(name: EngineName, folder: string, keys?: Keys): Promise<Engine> {
  const ports = { processes: systemStreamedProcesses, clock: systemClock, random: systemRandom };
  return engineMaker({ ...ports, env: testEngineEnv(keys) })(name, { folder, env: {} });
}

async function placeOf(stage: Stage) {
  const { namespace, world, inS3, folder } = stage;
  if (!inS3 || !world.s3) {
    const volume = await world.folderOf({ namespace, name: "repository" });
    return { backend: { filesystem: { path: join(volume, folder) } }, credentials: {} };
  }
  const { endpoint, bucket, accessKey, secretKey } = world.s3;
  return {
    backend: { s3: { bucket, prefix: `${namespace}/`, endpoint, region: "us-east-1" } },
    credentials: { AWS_ACCESS_KEY_ID: accessKey, AWS_SECRET_ACCESS_KEY: secretKey },
  };
}

export type Tree = Awaited<ReturnType<Stage["describe"]>>;

/**
 * Every one of these Backups has one snapshot, whole and its own; nothing else is in the repository. `others`: what
 * Backups hold, by name, that do not hold what is wanted of all.
 */
export async function repositoryIsSound(
  stage: Stage,
  backups: readonly Backup[],
  wanted: Tree,
  others: Readonly<Record<string, Tree>> = {},
): Promise<void> {
  await opened(stage, async (repository, folder) => {
    const snapshots: Snapshot[] = [];
    for await (const snapshot of repository.list()) snapshots.push(snapshot);
    expect(snapshots.map(madeBy).toSorted()).toEqual(backups.map(({ metadata }) => metadata.name).toSorted());
    expect(snapshots.map(({ id }) => id).toSorted()).toEqual(
      backups.map(({ status }) => status?.snapshot?.kopiaSnapshotID).toSorted(),
    );
    const distinct = new Map(snapshots.map((snapshot) => [snapshot.root, snapshot]));
    // Equal roots are equal content; whether each has all that belongs to it is tried in the long run.
    for (const snapshot of LONG ? snapshots : distinct.values()) {
      expect(snapshot).toMatchObject({ fidelity: "Full" });
      expect(snapshot.incomplete).toBeUndefined();
      const target = join(folder, snapshot.id);
      await repository.restore({ snapshot: snapshot.id, target });
      expect(treeDifferences(others[madeBy(snapshot)] ?? wanted, await describeTree(target))).toEqual([]);
      await rm(target, { recursive: true, force: true });
    }
  });
}

/** The name of the Backup whose run made it. */
const madeBy = ({ run = "" }: Snapshot) => run.replace(/-snapshot-\w{12}-\d+$/, "");

/** What is still there of any run has ended, and has a time to go. */
export async function nothingIsLeft(stage: Stage): Promise<void> {
  const { client } = stage.world;
  const inside = { namespace: stage.namespace };
  await stage.eventually("what is left of runs is on its way out", async () => {
    const [{ items: jobs }, { items: pods }, { items: maps }] = await Promise.all([
      client.list(Jobs, inside),
      client.list(Pods, inside),
      client.list(ConfigMaps, inside),
    ]);
    const kept = jobs.filter(({ metadata }) => metadata.deletionTimestamp === undefined);
    const names = new Set(jobs.map(({ metadata }) => metadata.name));
    const value = {
      lasting: kept.filter(({ spec }) => spec?.ttlSecondsAfterFinished === undefined).map(nameOf),
      living: pods
        .filter(({ status }) => status?.phase === "Running" || status?.phase === "Pending")
        .map(nameOf),
      ownerless: maps
        .filter(({ metadata: { name } }) => name !== "kube-root-ca.crt" && !names.has(name))
        .map(nameOf),
    };
    return { done: Object.values(value).every((list) => list.length === 0), value };
  });
}

const nameOf = ({ metadata }: { readonly metadata: { readonly name: string } }) => metadata.name;

/** Waits for a moment of the machine's clock. */
export const pause = (ms: number) => sleep(systemClock, ms);

import { describe, expect, test } from "vitest";
import { treeDifferences } from "../../src/engines/testing/tree.ts";
import { type Backup, backupResource } from "../../src/kinds/kopiur/generated/backup.ts";
import { restoreResource } from "../../src/kinds/kopiur/generated/restore.ts";
import { type Pod, Pods } from "../../src/kube/builtin.ts";
import type { Client } from "../../src/kube/client.ts";
import { LONG, Moments } from "./faults_moments.ts";
import {
  type Course,
  followedBackup,
  followedRestore,
  moverOf,
  nothingIsLeft,
  pause,
  repositoryIsSound,
} from "./faults_stage.ts";
import { LARGE_HOUSEHOLD } from "./household.ts";
import { killAll, killProcess } from "./machine_processes.ts";
import { Stage } from "./stage.ts";
import type { ScenarioWorld } from "./world.ts";

/** A mover of the household works for about as long, in milliseconds. */
const WORKING = 1_200;

/** One way to lose a mover. */
interface Blow {
  readonly name: string;
  readonly strike: (world: ScenarioWorld, pod: Pod) => Promise<void>;
  /** What undoes it, a while later. */
  readonly relieve?: (world: ScenarioWorld) => Promise<void>;
  readonly needsKubelet?: boolean;
}

const BLOWS: readonly Blow[] = [
  {
    name: "killed alone",
    strike: async (world, pod) => {
      for (const { pid, first } of world.processesOf(pod)) if (first) killProcess(pid);
    },
  },
  {
    name: "killed with all its processes",
    strike: async (world, pod) => {
      killAll(world.processesOf(pod));
    },
  },
  {
    name: "deleted with its pod",
    strike: async ({ client }, { metadata }) => void (await client.delete(Pods, metadata)),
  },
  {
    name: "deleted with its pod, at once",
    strike: ({ client }, pod) => forceDelete(client, pod),
  },
  {
    name: "killed and deleted with its pod, at once",
    strike: async (world, pod) => {
      killAll(world.processesOf(pod));
      await forceDelete(world.client, pod);
    },
  },
  {
    name: "killed while its kubelet is away",
    needsKubelet: true,
    strike: async (world, pod) => {
      await world.kubelet?.kill();
      killAll(world.processesOf(pod));
    },
    relieve: async ({ kubelet }) => kubelet?.start(),
  },
  {
    name: "working on while its kubelet is away",
    needsKubelet: true,
    strike: async ({ kubelet }) => kubelet?.kill(),
    relieve: async ({ kubelet }) => kubelet?.start(),
  },
  {
    name: "deleted by force, and working on while its kubelet is away",
    needsKubelet: true,
    strike: async ({ client, kubelet }, pod) => {
      await kubelet?.kill();
      await forceDelete(client, pod);
    },
    relieve: async ({ kubelet }) => kubelet?.start(),
  },
];

/** Its Job keeps the pod until its node has said how it ended. */
async function forceDelete(client: Client, { metadata }: Pod): Promise<void> {
  await client.delete(Pods, metadata, { gracePeriodSeconds: 0 });
}

/** A mover dies somewhere in its work, in every way there is. */
export function killedMovers(world: () => ScenarioWorld): void {
  const moments = new Moments(1);
  describe.each(moments.engines())("a mover of %s that dies", (engine) => {
    test("is followed by one that ends its work, once", { timeout: Moments.timeout }, async () => {
      await using stage = await Stage.enter(world(), engine);
      const repository = await stage.repositoryOnVolume();
      await stage.filledClaim("data", LARGE_HOUSEHOLD);
      const wanted = await stage.describe("data");
      await stage.recipe("data", repository);
      const backups: Backup[] = [];
      for (let time = 0; time < Moments.times; time++) {
        for (const blows of together(world(), moments)) {
          const struck = blows.map((blow) => ({ blow, after: moments.below(WORKING) }));
          const made = await Promise.all(
            struck.map(({ blow, after }) =>
              moments.seeded(`a backup, ${blow.name} after ${after} ms`, () =>
                struckBackup(stage, `b${BLOWS.indexOf(blow)}x${time}`, blow, after),
              ),
            ),
          );
          backups.push(...made);
          await Promise.all(
            struck.map(({ blow, after }) =>
              moments.seeded(`a restore, ${blow.name} after ${after} ms`, () =>
                struckRestore(
                  stage,
                  `r${BLOWS.indexOf(blow)}x${time}`,
                  { from: made[0], wanted },
                  blow,
                  after,
                ),
              ),
            ),
          );
        }
      }
      await repositoryIsSound(stage, backups, wanted);
      await nothingIsLeft(stage);
    });
  });
}

/** Blows that strike one pod alone may fall at once. */
function together({ kubelet }: ScenarioWorld, moments: Moments): readonly (readonly Blow[])[] {
  const single = BLOWS.filter(({ needsKubelet }) => !needsKubelet);
  if (!kubelet) return [single];
  const wide = BLOWS.filter(({ needsKubelet }) => needsKubelet).map((blow) => [blow]);
  return [single, ...(LONG ? wide : wide.slice(moments.below(wide.length)).slice(0, 1))];
}

async function struckBackup(stage: Stage, name: string, blow: Blow, after: number): Promise<Backup> {
  await stage.beginBackup(name, "data");
  await strike(stage, await moverOf(stage, backupResource, name, "snapshot"), blow, after);
  const course = await followedBackup(stage, name);
  expect(course.object.status).toMatchObject({ phase: "Succeeded", snapshot: { fidelity: "Full" } });
  expectTruth(course);
  return course.object;
}

async function struckRestore(
  stage: Stage,
  name: string,
  {
    from,
    wanted,
  }: { readonly from: Backup | undefined; readonly wanted: Awaited<ReturnType<Stage["describe"]>> },
  blow: Blow,
  after: number,
): Promise<void> {
  await stage.beginRestore(name, { backupRef: { name: from?.metadata.name ?? "" } }, name);
  await strike(stage, await moverOf(stage, restoreResource, name, "restore"), blow, after);
  const course = await followedRestore(stage, name);
  expect(course.object.status).toMatchObject({ phase: "Completed" });
  expect(course.object.status?.losses).toBeUndefined();
  expectTruth(course);
  expect(treeDifferences(wanted, await stage.describe(name))).toEqual([]);
}

async function strike({ world }: Stage, pod: Pod | undefined, blow: Blow, after: number): Promise<void> {
  await pause(after);
  if (!pod) return;
  try {
    await blow.strike(world, pod);
    if (blow.relieve) await pause(after);
  } finally {
    await blow.relieve?.(world);
  }
}

/** Whatever was said on the way: that it was ended from outside, and is tried again. */
function expectTruth({ failures }: Course<Backup> | Awaited<ReturnType<typeof followedRestore>>): void {
  for (const failure of failures) {
    expect(failure).toMatchObject({ errorClass: "Interrupted", retry: "transient" });
    expect(failure.remedy).toContain("tried again");
  }
}

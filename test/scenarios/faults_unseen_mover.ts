import { describe, expect, test } from "vitest";
import { treeDifferences } from "../../src/engines/testing/tree.ts";
import { type Backup, backupResource } from "../../src/kinds/kopiur/generated/backup.ts";
import { restoreResource } from "../../src/kinds/kopiur/generated/restore.ts";
import { isNotFound } from "../../src/kube/api_error.ts";
import { Events, type Pod, Pods } from "../../src/kube/builtin.ts";
import { Moments } from "./faults_moments.ts";
import {
  followedBackup,
  followedRestore,
  moverOf,
  nothingIsLeft,
  opened,
  pause,
  repositoryIsSound,
} from "./faults_stage.ts";
import { LARGE_HOUSEHOLD } from "./household.ts";
import { killProcess, type PodProcess } from "./machine_processes.ts";
import { Stage } from "./stage.ts";
import type { ScenarioWorld } from "./world.ts";

/** The cluster has given a mover up that works on, out of everybody's sight. */
export function unseenMovers(world: () => ScenarioWorld): void {
  describe.each(new Moments(8).engines())("with %s, a mover that works on unseen", (engine) => {
    test("leaves no snapshot beside the one that counts", { timeout: 600_000 }, async () => {
      await using stage = await Stage.enter(world(), engine);
      const repository = await stage.repositoryOnVolume();
      await stage.filledClaim("data", LARGE_HOUSEHOLD);
      const wanted = await stage.describe("data");
      await stage.recipe("data", repository);

      await stage.beginBackup("first", "data");
      const pod = await moverOf(stage, backupResource, "first", "snapshot");
      if (!pod) throw new Error("the mover ended before it could be given up");
      freeze(stage, pod);
      const unseen = await runOf(stage, "first");
      await giveUp(stage, pod);
      const { object, failures } = await followedBackup(stage, "first");
      expect(failures[0]).toMatchObject({ errorClass: "Interrupted", retry: "transient" });
      expect(object.status).toMatchObject({ phase: "Succeeded", job: { attempts: 2 } });
      expect(object.status?.snapshot?.runID).not.toBe(unseen);

      await comeToAnEnd(stage, object, unseen);
      await stage.eventually("what came late is deleted", async () => {
        const { items } = await world().client.list(Events, { namespace: stage.namespace });
        return { done: items.some(({ reason }) => reason === "LateSnapshotDeleted"), value: items.length };
      });
      const after = await world().client.get(backupResource, object.metadata);
      expect(after.status).toMatchObject({ phase: "Succeeded", snapshots: object.status?.snapshots });
      await repositoryIsSound(stage, [after], wanted);
      await nothingIsLeft(stage);
    });

    test("ends when another has taken its target over", { timeout: 600_000 }, async () => {
      await using stage = await Stage.enter(world(), engine);
      const repository = await stage.repositoryOnVolume();
      await stage.filledClaim("data", LARGE_HOUSEHOLD);
      const wanted = await stage.describe("data");
      await stage.recipe("data", repository);
      await stage.backup("first", "data");

      await stage.beginRestore("back", { backupRef: { name: "first" } }, "back");
      const pod = await moverOf(stage, restoreResource, "back", "restore");
      if (!pod) throw new Error("the mover ended before it could be given up");
      const frozen = freeze(stage, pod);
      await giveUp(stage, pod);
      const { object } = await followedRestore(stage, "back");
      expect(object.status).toMatchObject({ phase: "Completed", job: { attempts: 2 } });

      for (const { pid } of frozen) wake(pid);
      await stage.eventually("nobody works unseen any more", async () => {
        const value = frozen.filter(({ pid }) => wake(pid));
        return { done: value.length === 0, value };
      });
      expect(treeDifferences(wanted, await stage.describe("back"))).toEqual([]);
      await nothingIsLeft(stage);
    });
  });
}

/** Whether the process is there; if so, it goes on. */
function wake(pid: number): boolean {
  try {
    return process.kill(pid, "SIGCONT");
  } catch {
    return false;
  }
}

/** So that it cannot come to its end meanwhile: its first process before the others, which starts no more of them then. */
function freeze({ world }: Stage, pod: Pod): readonly PodProcess[] {
  for (const { pid, first } of world.processesOf(pod)) if (first) killProcess(pid, "SIGSTOP");
  const all = world.processesOf(pod);
  for (const { pid } of all) killProcess(pid, "SIGSTOP");
  return all;
}

async function runOf({ world, namespace }: Stage, name: string): Promise<string> {
  return (await world.client.get(backupResource, { namespace, name })).status?.job?.runID ?? "";
}

/** There is one kubelet: tests side by side do without it one after the other. */
let turn: Promise<unknown> = Promise.resolve();

function giveUp(stage: Stage, pod: Pod): Promise<void> {
  const done = turn.then(() => giveUpNow(stage, pod));
  turn = done.catch(() => {});
  return done;
}

/** What a cluster does with the pods of a node that was deleted: it writes down their end, and removes them. */
async function giveUpNow(stage: Stage, pod: Pod): Promise<void> {
  const { client, kubelet } = stage.world;
  await kubelet?.kill();
  try {
    const message = "PodGC: node no longer exists";
    const condition = { type: "DisruptionTarget", status: "True", reason: "DeletionByPodGC", message };
    const patch = { status: { phase: "Failed", conditions: [condition] } };
    await client.patch(Pods, pod.metadata, { type: "merge", patch } as never, { subresource: "status" });
    await client.delete(Pods, pod.metadata, { gracePeriodSeconds: 0 });
    await stage.eventually("the pod is gone", async () => {
      const value = await client.get(Pods, pod.metadata).catch((error: unknown) => {
        if (!isNotFound(error)) throw error;
        return undefined;
      });
      return { done: value === undefined, value };
    });
    await pause(1_000);
  } finally {
    await kubelet?.start();
  }
}

/** What the engine of a mover does at its end: there is a snapshot with its run's tag, and no lock of its own. */
async function comeToAnEnd(stage: Stage, { status }: Backup, run: string): Promise<void> {
  const { username = "", hostname = "", sourcePath = "" } = status?.snapshot?.identity ?? {};
  const source = await stage.world.folderOf({ namespace: stage.namespace, name: "data" });
  const path = stage.engine === "restic" ? source : sourcePath;
  await opened(stage, async (repository) => {
    await repository.snapshot({ source, identity: { username, hostname, path }, run });
    if (stage.engine === "restic") await repository.unlock({ all: true });
  });
}

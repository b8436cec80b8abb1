import { describe, expect, test } from "vitest";
import {
  backup as backupManifest,
  claim,
  clusterRepository,
  config as configManifest,
  HOUSEHOLD,
  repository,
} from "../../../src/apis/kopiur/admission/testing/manifests.ts";
import { MemoryDoor } from "../../../src/apis/kopiur/admission/testing/memory_door.ts";
import { backupLabels } from "../../../src/apis/kopiur/backup/backup_labels.ts";
import { backupObject } from "../../../src/apis/kopiur/backup/plan.ts";
import { DISCOVERED_SPEC } from "../../../src/apis/kopiur/catalog/discovered_backup.ts";
import { scheduledBackup } from "../../../src/apis/kopiur/schedule/scheduled_backup.ts";
import { backup, readyNas, schedule } from "../../../src/apis/kopiur/testing/samples.ts";
import { captureRequest } from "../../../src/core/backup/capture_request.ts";
import { decideDeletion } from "../../../src/core/backup/decide_deletion.ts";
import { deleteTask, toDelete } from "../../../src/core/backup/delete_task.ts";
import { hooksAround } from "../../../src/core/backup/hooks_series.ts";
import { AT, NOW, SETTINGS, succeeded, taskPlan, working } from "../../../src/core/testing/samples.ts";
import { decideTask } from "../../../src/core/work/decide_task.ts";
import { moverJob } from "../../../src/core/work/mover_job.ts";
import { attemptOf } from "../../../src/core/work/run_request.ts";
import { runExec } from "../../../src/core/workloads/hooks/run_exec.ts";
import { SNAPSHOT_CLEANUP } from "../../../src/kinds/kopiur/finalizers.ts";
import { backupConfigSchema } from "../../../src/kinds/kopiur/generated/backup_config.ts";
import { LABELS } from "../../../src/kinds/kopiur/labels.ts";
import type { Reader } from "../../../src/kube/client.ts";
import { ok } from "../../../src/lib/result.ts";
import { VirtualClock } from "../../../src/lib/virtual_clock.ts";
import { must, plannedBackup } from "./planned_backup.ts";

function doorWith(...manifests: Parameters<MemoryDoor["put"]>[0][]): MemoryDoor {
  const door = new MemoryDoor();
  for (const manifest of manifests) door.put(manifest);
  return door;
}

describe("G1: a repository is an object that others refer to", () => {
  test("many recipes use one, and say no more of it than its name", async () => {
    const door = doorWith(repository(), claim("data"), claim("logs"));
    for (const name of ["data", "logs"]) {
      const { verdict, object } = await door.write(
        configManifest({ name, spec: { sources: [{ pvc: { name } }] } }),
        "stranger",
      );
      expect(verdict).toEqual({ allowed: true, warnings: [] });
      door.keep(object);
    }
  });

  test("one of the whole cluster is for the namespaces that it lists, and for no other", async () => {
    const door = doorWith(clusterRepository(), claim("data"), claim("data", "tenant-b"));
    const spec = { repository: { kind: "ClusterRepository", name: "commons" } };
    const from = async (namespace: string) =>
      (await door.write(configManifest({ namespace, spec }), "stranger")).verdict;
    expect(await from("tenant-a")).toEqual({ allowed: true, warnings: [] });
    expect(await from("tenant-b")).toMatchObject({ allowed: false });
  });
});

describe("G2: one recipe backs up many claims", () => {
  const sources = [{ pvcSelector: { labelSelector: { matchLabels: { app: "shop" } } } }];
  const claims = ["data", "logs", "media"];

  test("those that a selector finds go into one run, each read-only and by its own path", () => {
    const { request, task } = plannedBackup({ recipe: { sources, copyMethod: "Direct" }, claims });
    expect(request.plan.sources.map(({ sourcePath }) => sourcePath)).toEqual(
      claims.map((name) => `/pvc/${name}`),
    );
    expect(task.volumes?.map(({ claim, readOnly }) => ({ claim, readOnly }))).toEqual(
      claims.map((name) => ({ claim: name, readOnly: true })),
    );
  });

  test("by default they are captured at one moment", () => {
    const planned = plannedBackup({ recipe: { sources, copyMethod: "Snapshot" }, claims });
    expect(captureRequest(planned.request.owner, planned.request.plan)).toMatchObject({
      groupBy: "VolumeGroupSnapshot",
      sources: claims.map((name) => ({ name })),
    });
  });
});

describe("G12: settings reach the engine by fields, and the rest by arguments", () => {
  const extraArgs = ["--force-hash=10"];
  const policy = {
    compression: { compressor: "zstd-fastest", neverCompress: ["*.zip"] },
    splitter: "FIXED-1M",
    ignore: { paths: ["*.tmp"] },
    extraArgs,
  };

  test("the mover is told what the recipe says", () => {
    expect(plannedBackup({ recipe: { policy } }).task.work.work).toMatchObject({
      snapshot: {
        compression: policy.compression,
        splitter: "FIXED-1M",
        ignore: { paths: expect.arrayContaining(["*.tmp"]) },
        extraArgs,
      },
    });
  });

  test("a value that no engine knows does not come in", () => {
    const bad = { compression: { compressor: "zip9" } };
    expect(() => plannedBackup({ recipe: { policy: bad } })).toThrow("compressor");
  });

  test("arguments cannot undo what is decided elsewhere", async () => {
    const door = doorWith(...HOUSEHOLD);
    const entered = async (argument: string) =>
      (await door.write(configManifest({ spec: { policy: { extraArgs: [argument] } } }), "stranger")).verdict;
    expect(await entered("--force-hash=10")).toMatchObject({ allowed: true });
    expect(await entered("--keep-latest=1")).toMatchObject({ allowed: false });
  });
});

describe("G13: hooks run in the workload, not in the mover", () => {
  const command = ["psql", "-c", "CHECKPOINT"];
  const podSelector = { matchLabels: { app: "postgres" } };
  const hooks = { beforeSnapshot: [{ workloadExec: { podSelector, container: "db", command } }] };

  test("a command is run in the container of the workload's pod", async () => {
    const { owner, plan } = plannedBackup({ recipe: { hooks } }).request;
    const series = hooksAround({
      owner,
      hooks: plan.settings.hooks ?? {},
      settings: SETTINGS,
      round: 1,
    });
    const [hook] = series.before.hooks;
    if (!hook || !("exec" in hook.action)) throw new Error("it is no command");
    const pod = {
      metadata: { name: "postgres-0", namespace: "billing" },
      spec: { containers: [{ name: "proxy" }, { name: "db" }] },
      status: { phase: "Running", conditions: [{ type: "Ready", status: "True" }] },
    };
    const asked: object[] = [];
    const ran: object[] = [];
    const list = async (_: unknown, options: object) => {
      asked.push(options);
      return { items: [pod] };
    };
    const exec = async ({ name }: { readonly name: string }, options: object) => {
      ran.push({ name, ...options });
      return { exitCode: 0, message: "" };
    };
    const client = { list } as unknown as Pick<Reader, "list">;
    const order = { namespace: series.before.namespace, action: hook.action.exec, timeout: hook.timeout };
    const { signal } = new AbortController();
    const result = await runExec({ client, pods: { exec }, clock: new VirtualClock() }, { ...order, signal });
    expect(result).toEqual({ ok: true });
    expect(asked).toMatchObject([{ namespace: "billing", labelSelector: "app=postgres" }]);
    expect(ran).toMatchObject([{ name: "postgres-0", container: "db", command }]);
  });

  test("the mover knows nothing of it", () => {
    const { task } = plannedBackup({ recipe: { hooks } });
    expect(task).toEqual(plannedBackup().task);
    expect(JSON.stringify(moverJob(attemptOf(task, 1)))).not.toContain("psql");
  });
});

describe("G17: whoever may create a Backup can start one", () => {
  test("it needs no schedule: one that somebody creates comes in, is a manual one, and begins", async () => {
    const door = doorWith(...HOUSEHOLD, configManifest());
    const { verdict } = await door.write(backupManifest({ name: "before-upgrade" }), "stranger");
    expect(verdict).toEqual({ allowed: true, warnings: [] });
    const planned = plannedBackup();
    expect(backupLabels(planned.backup, planned.request.plan)[LABELS.origin]).toBe("manual");
    expect(decideTask({ task: planned.task, policy: {}, runs: [], now: NOW }).intents).toMatchObject([
      { type: "Ensure" },
    ]);
  });

  test("a recipe says what and how, never when", () => {
    const fields = Object.keys(backupConfigSchema.properties?.spec?.properties ?? {});
    expect(fields).toContain("sources");
    expect(fields.filter((field) => /schedule|trigger|cron/i.test(field))).toEqual([]);
  });
});

describe("G20: a Backup and its snapshot go together, unless somebody says otherwise", () => {
  const snapshots = [
    {
      kopiaSnapshotID: "k1",
      root: "root-1",
      runID: "run-1",
      identity: { username: "data", hostname: "billing", sourcePath: "/pvc/data" },
    },
  ];
  const status = { phase: "Succeeded", snapshots } as const;
  const going = backup({ metadata: { deletionTimestamp: AT }, status });
  const decide = (policy: "Delete" | "Retain" | "Orphan", deleted = false) =>
    decideDeletion({
      backup: backupObject(going),
      finalizer: SNAPSHOT_CLEANUP,
      policy,
      namespaceGoing: false,
      now: NOW,
      deletion: ok(taskPlan("delete", deleted ? succeeded({ delete: { deleted: 1 } }) : working)),
    }).intents.map(({ type }) => type);

  test("by default it stays until its snapshot is deleted", () => {
    const { backup: object, request } = plannedBackup();
    const { deletionPolicy } = request.plan;
    expect(deletionPolicy).toBe("Delete");
    expect(decide(deletionPolicy)).toEqual([]);
    expect(decide(deletionPolicy, true)).toEqual(["LetGo"]);
    const work = toDelete(backupObject({ ...object, status }), new Set());
    const context = { repository: readyNas(), settings: SETTINGS, namespace: "billing", consent: false };
    const task = work && must(deleteTask({ ...context, backup: request }, work));
    expect(task?.work.work).toMatchObject({ delete: { snapshots: [{ id: "k1", run: "run-1" }] } });
  });

  test.each(["Retain", "Orphan"] as const)("with %s it goes, and the snapshot stays", (policy) => {
    expect(plannedBackup({ backup: { deletionPolicy: policy } }).request.plan.deletionPolicy).toBe(policy);
    expect(decide(policy)).toEqual(["LetGo"]);
  });

  test("what the operator only found is not its to delete", () => {
    expect(DISCOVERED_SPEC.deletionPolicy).toBe("Retain");
  });

  test("a schedule that is deleted takes no Backup with it: nobody owns one", () => {
    expect(scheduledBackup(schedule(), { slot: NOW, at: NOW }).metadata).not.toHaveProperty(
      "ownerReferences",
    );
  });
});

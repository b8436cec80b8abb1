import { readFileSync } from "node:fs";
import { join } from "node:path";
import type { PodSpec } from "kubernetes-types/core/v1.d.ts";
import { describe, expect, test } from "vitest";
import {
  maintenance as maintenanceManifest,
  repository as repositoryManifest,
} from "../../../src/apis/kopiur/admission/testing/manifests.ts";
import { MemoryDoor, storedOf } from "../../../src/apis/kopiur/admission/testing/memory_door.ts";
import { decideDefault } from "../../../src/apis/kopiur/maintenance/decide_default.ts";
import { sampleMaintenance } from "../../../src/apis/kopiur/maintenance/testing/sample_maintenance.ts";
import { withOwner } from "../../../src/apis/kopiur/maintenance/with_owner.ts";
import { readyNas } from "../../../src/apis/kopiur/testing/samples.ts";
import { ownedByAnother } from "../../../src/core/maintenance/ownership.ts";
import { runTask } from "../../../src/core/maintenance/run_task.ts";
import { NOW, SETTINGS } from "../../../src/core/testing/samples.ts";
import { moverJob } from "../../../src/core/work/mover_job.ts";
import { attemptOf, type RunTask } from "../../../src/core/work/run_request.ts";
import { decide, noted, reported } from "../../../src/core/work/testing/sample_decisions.ts";
import { observed, runningPod, sampleJob } from "../../../src/core/work/testing/samples.ts";
import { type Maintenance, maintenanceResource } from "../../../src/kinds/kopiur/generated/maintenance.ts";
import { operatorSettings } from "../../../src/main/operator_settings.ts";
import { sizesFor } from "../../../src/mover/size/sizes.ts";
import { must, type Plan, plannedBackup } from "./planned_backup.ts";

const jobOf = (task: RunTask) => moverJob(attemptOf(task, 1));
const podOf = (plan: Plan = {}): PodSpec => {
  const pod = jobOf(plannedBackup(plan).task).spec?.template.spec;
  if (!pod) throw new Error("there is no pod");
  return pod;
};
const GIB = 2 ** 30;

describe("G11: maintenance is an object with an owner, and a run of its own", () => {
  const turn = { mode: "Full", step: "Maintain", cause: "slot" } as const;
  const taskOf = (maintenance: Maintenance) => {
    const context = { repository: readyNas(), settings: SETTINGS, namespace: "billing", consent: false };
    const owner = { resource: maintenanceResource, object: withOwner(maintenance) };
    return must(runTask(context, owner, turn));
  };

  test("a repository gets one by default", () => {
    const seen = { repository: readyNas(), maintenances: [], placeIsThere: true, now: NOW };
    expect(decideDefault(seen)).toMatchObject({ create: true });
  });

  test("it runs for the Maintenance, under a name that is stated, and no backup does its work", () => {
    const { owner, work } = taskOf(
      sampleMaintenance({ spec: { ownership: { owner: "here", takeoverPolicy: "Never" } } }),
    );
    expect(owner).toMatchObject({ kind: "Maintenance", name: "nas" });
    expect(work.work).toEqual({ maintain: { mode: "Full", check: true, owner: "here" } });
    expect(Object.keys(plannedBackup().task.work.work)).toEqual(["snapshot"]);
  });

  test("another's repository is taken over by nobody who was not told to", () => {
    const { spec } = storedOf(maintenanceManifest()) as Maintenance;
    const written = sampleMaintenance({ spec });
    expect(taskOf(written).work.work).not.toHaveProperty("maintain.takeOver");
    expect(ownedByAnother("somebody@else", withOwner(written))).toMatchObject({
      state: "stalled",
      reason: "OwnedByAnother",
    });
  });

  test("a second one for the same repository is refused", async () => {
    const door = new MemoryDoor();
    for (const one of [repositoryManifest(), maintenanceManifest()]) door.put(one);
    const { verdict } = await door.write(maintenanceManifest({ name: "second" }), "stranger");
    expect(verdict).toMatchObject({ allowed: false });
  });
});

describe("G14: what a mover may need is known before it runs", () => {
  const resourcesOf = (plan: Plan = {}) => podOf(plan).containers[0]?.resources;

  test("it has requests, and a limit of memory, though nobody says so", () => {
    expect(resourcesOf()).toEqual({
      requests: { cpu: "250m", memory: "512Mi" },
      limits: { memory: "4Gi" },
    });
  });

  test("what the recipe says takes their place", () => {
    const resources = { limits: { cpu: "2", memory: "1Gi" } };
    expect(resourcesOf({ recipe: { mover: { resources } } })).toEqual(resources);
    expect(resourcesOf({ recipe: { mover: { resources: {} } } })).toEqual({});
  });

  test.each([1, 4])("the engine is told to stay within a limit of %i GiB", (limit) => {
    const { env } = sizesFor({ memory: limit * GIB });
    expect(Number(env.GOMEMLIMIT)).toBeGreaterThan(0.5 * limit * GIB);
    expect(Number(env.GOMEMLIMIT)).toBeLessThan(limit * GIB);
  });
});

describe("G15: the mover's image is that of the operator's version", () => {
  const { version } = JSON.parse(readFileSync(join(import.meta.dirname, "../../../package.json"), "utf8"));

  test("it is named by a version, never by what is latest", () => {
    const image = operatorSettings({}, version).shared.moverImage;
    expect(podOf({ image }).containers[0]?.image).toBe(image);
    expect(image).toMatch(/:\d+\.\d+\.\d+(-[\w.]+)?$/);
  });

  test("a digest is taken as it is", () => {
    const image = `example.org/mover@sha256:${"0".repeat(64)}`;
    expect(operatorSettings({ HOLDFAST_MOVER_IMAGE: image }, version).shared.moverImage).toBe(image);
    expect(podOf({ image }).containers[0]).toMatchObject({ image, imagePullPolicy: "IfNotPresent" });
  });
});

/** The sorts of volumes that the restricted profile allows. */
const VOLUMES = [
  "configMap",
  "csi",
  "downwardAPI",
  "emptyDir",
  "ephemeral",
  "persistentVolumeClaim",
  "projected",
  "secret",
];

/** What Kubernetes' restricted profile has against a pod. */
function unrestricted(pod: PodSpec): readonly string[] {
  const { securityContext: outer } = pod;
  const containers = pod.containers.flatMap(({ securityContext: own }) => [
    (own?.runAsNonRoot ?? outer?.runAsNonRoot) === true ? "" : "runAsNonRoot",
    (own?.runAsUser ?? outer?.runAsUser) === 0 ? "runAsUser" : "",
    own?.allowPrivilegeEscalation === false && !own.privileged ? "" : "privileges",
    own?.capabilities?.drop?.includes("ALL") ? "" : "drop",
    own?.capabilities?.add?.some((one) => one !== "NET_BIND_SERVICE") ? "add" : "",
    (own?.seccompProfile ?? outer?.seccompProfile)?.type === "RuntimeDefault" ? "" : "seccomp",
  ]);
  const host = [pod.hostNetwork, pod.hostPID, pod.hostIPC].some(Boolean) ? "host" : "";
  const volumes = (pod.volumes ?? []).flatMap(({ name: _, ...kind }) =>
    Object.keys(kind).filter((one) => !VOLUMES.includes(one)),
  );
  return [...containers, host, ...volumes].filter((one) => one !== "");
}

describe("G16: a mover asks for nothing that restricted namespaces forbid", () => {
  test("by default it fits the restricted profile, and has no right to the API", () => {
    expect(unrestricted(podOf())).toEqual([]);
    expect(podOf().automountServiceAccountToken).toBe(false);
  });

  test("no group rewrites the owners of the volumes that it mounts", () => {
    expect(podOf({ recipe: { mover: { supplementalGroups: [7] } } }).securityContext).toEqual(
      expect.not.objectContaining({ fsGroup: expect.anything() }),
    );
  });

  test("more takes the recipe's word and the namespace's consent", () => {
    const recipe = { mover: { privilegedMode: true } };
    expect(() => podOf({ recipe })).toThrow("allow-privileged-movers");
    expect(unrestricted(podOf({ recipe, consent: true }))).toEqual(["runAsNonRoot", "runAsUser", "add"]);
  });

  test("what only root may read in a new file system is left out", () => {
    expect(plannedBackup().task.work.work).toMatchObject({
      snapshot: { ignore: { paths: expect.arrayContaining(["/lost+found"]) } },
    });
  });
});

describe("G18: no pod of a mover stays behind, and none works beside its successor", () => {
  test("a Job makes one pod, and no other before that one is gone", () => {
    expect(jobOf(plannedBackup().task).spec).toMatchObject({
      podReplacementPolicy: "Failed",
      backoffLimit: 0,
      parallelism: 1,
      template: { spec: { restartPolicy: "Never" } },
    });
  });

  test("a run that succeeded is removed with its pod, once its report is kept", () => {
    const runs = [reported()];
    const { record, state } = decide({ record: noted, runs });
    expect(state).toMatchObject({ phase: "Ended", outcome: "Succeeded" });
    expect(decide({ record, runs }).intents).toMatchObject([{ type: "Remove" }]);
  });

  test("so is one that failed, which holds its volumes otherwise: the end of its log is in the status", () => {
    const runs = [reported("WrongPassword")];
    const { record } = decide({ record: noted, runs });
    expect(decide({ record, runs }).intents).toMatchObject([{ type: "Remove" }]);
  });

  const pod = runningPod();
  const going = { ...pod, metadata: { ...pod.metadata, deletionTimestamp: "2026-01-01T00:00:00Z" } };
  const stuck = (node: "Dead" | "Silent") => [observed({ job: sampleJob(), pod: going, overdue: { node } })];

  test("a pod on a dead node is reaped; one whose node is only silent may still write, and holds the next", () => {
    expect(decide({ record: noted, runs: stuck("Dead") }).intents).toMatchObject([{ type: "Reap" }]);
    expect(decide({ record: noted, runs: stuck("Silent") })).toMatchObject({
      state: { phase: "Held", reason: "NodeSilent" },
      intents: [],
    });
  });
});

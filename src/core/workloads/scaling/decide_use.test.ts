import { describe, expect, test } from "vitest";
import { Deployments, type Pod, StatefulSets } from "../../../kube/builtin.ts";
import type { Resource } from "../../../kube/resource.ts";
import { OWNER_LABEL } from "../../work/run_labels.ts";
import { decideUse, type UseQuestion } from "./decide_use.ts";
import { SCALED_FOR, SCALED_FROM } from "./scaling_marks.ts";
import { ROLLOUTS } from "./testing/rollouts.ts";
import type { Scalable, Workload } from "./workload.ts";

const HOLDER = "uid-restore";
const meta = (name: string, more: object = {}) => ({
  name,
  namespace: "shop",
  uid: `uid-${name}`,
  resourceVersion: "1",
  creationTimestamp: "2026-01-01T00:00:00Z",
  ...more,
});

const pod = (name: string, owner?: string): Pod => ({
  apiVersion: "v1",
  kind: "Pod",
  metadata: meta(name, owner === undefined ? {} : { labels: { [OWNER_LABEL]: owner } }),
});

function deployment(replicas: number, annotations: Record<string, string> = {}): Workload {
  const resource = Deployments as Resource<Scalable>;
  const object = { apiVersion: "apps/v1", kind: "Deployment", metadata: meta("web", { annotations }) };
  return { resource, object: { ...object, spec: { replicas } }, replicas };
}

const decide = (more: Partial<UseQuestion>) =>
  decideUse({
    users: [],
    down: [],
    claim: "data",
    holder: HOLDER,
    mayScale: false,
    scaleDown: "scaleDown: true",
    ...more,
  });
const web = deployment(3);
const marked = (holders: string, replicas = 0) =>
  deployment(replicas, { [SCALED_FOR]: holders, [SCALED_FROM]: "3" });

describe("decideUse(): without leave to scale", () => {
  test("a volume that nobody has is free, also while our own mover has it", () => {
    expect(decide({})).toEqual({ type: "Free" });
    expect(decide({ users: [{ pod: pod("mover", HOLDER) }] })).toEqual({ type: "Free" });
  });

  test("a mounted volume is refused, with the remedy", () => {
    expect(decide({ users: [{ pod: pod("web-1"), workload: web }] })).toMatchObject({
      type: "InUse",
      reason: "VolumeInUse",
      message:
        "PersistentVolumeClaim data is in use by pod shop/web-1 of Deployment web. Scale the workload down, or set scaleDown: true to have that done for the time of the restore.",
    });
  });

  test("a new claim is not for those who wait for it, before its data is there", () => {
    expect(decide({ users: [{ pod: pod("web-1"), workload: web }], isNew: true })).toMatchObject({
      type: "InUse",
      reason: "VolumeInUse",
      who: "pod shop/web-1 of Deployment web",
      message: expect.stringMatching(/wanted by pod shop\/web-1 of Deployment web.* Scale the workload down/),
    });
  });

  test("another mover's work is waited for", () => {
    expect(decide({ users: [{ pod: pod("mover", "uid-backup") }] })).toMatchObject({
      type: "Waiting",
      reason: "VolumeBusy",
    });
  });

  test("a workload that is down for another restore may come back at any moment", () => {
    expect(decide({ down: [marked("uid-other")] })).toMatchObject({ type: "Waiting", reason: "VolumeBusy" });
  });
});

describe("decideUse(): with leave to scale", () => {
  const scale = (more: Partial<UseQuestion>) => decide({ mayScale: true, ...more });

  test("what has the volume is scaled down, once for all its pods", () => {
    const users = ["web-1", "web-2"].map((name) => ({ pod: pod(name), workload: web }));
    expect(scale({ users })).toMatchObject({
      type: "Scale",
      reason: "ScalingDown",
      intents: [{ type: "ScaleDown", workload: web, holder: HOLDER }],
    });
  });

  test("its pods are waited for, and scaled down again when somebody brings them back", () => {
    const users = (workload: Workload) => [{ pod: pod("web-1"), workload }];
    expect(scale({ users: users(marked(HOLDER)) })).toMatchObject({ type: "Waiting", reason: "ScalingDown" });
    expect(scale({ users: users(marked(HOLDER, 3)) })).toMatchObject({ type: "Scale" });
  });

  test("one that is down for another restore is held for this one, too", () => {
    expect(scale({ down: [marked("uid-other")] })).toMatchObject({
      type: "Scale",
      intents: [{ type: "ScaleDown", holder: HOLDER }],
    });
    expect(scale({ down: [marked(`uid-other,${HOLDER}`)] })).toEqual({ type: "Free" });
  });

  const hidden = { pod: pod("cut-1"), hidden: { resource: ROLLOUTS, name: "cut" } };

  test("what may not be read is not scaled, and the right to do so is named", () => {
    const users = [{ pod: pod("lone") }, { pod: pod("web-1"), workload: web }, hidden];
    expect(scale({ users })).toMatchObject({
      type: "InUse",
      reason: "CannotScaleDown",
      who: "pod shop/cut-1 of Rollout cut",
      message:
        "PersistentVolumeClaim data is mounted by pod shop/cut-1 of Rollout cut, which may not be read. Scale it down yourself, or grant the operator get and patch on rollouts.argoproj.io (the chart's rbac.extraRules).",
    });
    expect(decide({ users })).toMatchObject({
      reason: "VolumeInUse",
      who: "pod shop/lone, pod shop/web-1, pod shop/cut-1 of Deployment web, Rollout cut",
    });
  });

  test("a pod that nothing scales has to be stopped by somebody", () => {
    expect(scale({ users: [{ pod: pod("lone") }, { pod: pod("web-1"), workload: web }] })).toMatchObject({
      type: "InUse",
      reason: "CannotScaleDown",
      message: expect.stringContaining("pod shop/lone"),
    });
  });
});

describe("decideUse(): where others wait for the data", () => {
  const holding = (more: Partial<UseQuestion>) => decide({ mayScale: true, holds: true, ...more });

  test("what can be scaled is held first, and the rest named then", () => {
    const users = (workload: Workload) => [{ pod: pod("lone") }, { pod: pod("web-1"), workload }];
    expect(holding({ users: users(web) })).toMatchObject({
      type: "Scale",
      intents: [{ type: "ScaleDown", workload: web }],
    });
    expect(holding({ users: users(marked(HOLDER)) })).toMatchObject({
      type: "InUse",
      reason: "CannotScaleDown",
      message: expect.stringContaining("pod shop/lone, which"),
    });
  });

  test("what would lose its claims is named, and the others are held", () => {
    const db = statefulSet("db", "Delete");
    expect(holding({ down: [db, web] })).toMatchObject({ type: "Scale", workloads: [web] });
    expect(holding({ down: [db, marked(HOLDER)] })).toMatchObject({ type: "InUse", who: "StatefulSet db" });
  });
});

function statefulSet(name: string, whenScaled: string, more: object = {}): Workload {
  const resource = StatefulSets as Resource<Scalable>;
  const spec = {
    replicas: 2,
    persistentVolumeClaimRetentionPolicy: { whenScaled },
    volumeClaimTemplates: [{ metadata: { name: "data" } }],
    ...more,
  };
  const object = { apiVersion: "apps/v1", kind: "StatefulSet", metadata: meta(name), spec };
  return { resource, object, replicas: spec.replicas };
}

describe("decideUse(): what has Kubernetes delete its claims when it is scaled down", () => {
  const db = statefulSet("db", "Delete");
  const user = { pod: pod("db-0"), workload: db };
  const REFUSED = {
    type: "InUse",
    reason: "CannotScaleDown",
    who: "StatefulSet db",
    message:
      "PersistentVolumeClaim data is used by StatefulSet db, which is left as it is. Kubernetes deletes the PersistentVolumeClaims of StatefulSet db when it is scaled down. Set persistentVolumeClaimRetentionPolicy.whenScaled to Retain first.",
  };

  test.each<[string, Partial<UseQuestion>]>([
    ["by its pods", { users: [user] }],
    ["while it has no pods", { down: [db] }],
    ["beside another", { users: [{ pod: pod("web-1"), workload: web }], down: [db] }],
  ])("is not scaled: %s", (_, seen) => {
    expect(decide({ mayScale: true, ...seen })).toMatchObject(REFUSED);
  });

  test("is not scaled through what is above it either", () => {
    const users = [{ pod: pod("db-0"), workload: web, below: [db] }];
    expect(decide({ mayScale: true, users })).toMatchObject({
      ...REFUSED,
      message: expect.any(String),
      who: "Deployment web",
    });
  });

  test("nobody is told to scale it down before that is changed", () => {
    expect(decide({ users: [user] })).toMatchObject({
      reason: "VolumeInUse",
      message: expect.stringMatching(
        /of StatefulSet db\. Kubernetes deletes .* to Retain first\. Scale the workload down/,
      ),
    });
  });

  test.each([
    ["it keeps them", statefulSet("db", "Retain")],
    ["it has none of its own", statefulSet("db", "Delete", { volumeClaimTemplates: [] })],
    ["it is at zero already", statefulSet("db", "Delete", { replicas: 0 })],
  ])("is held as any other where %s", (_, workload) => {
    expect(decide({ mayScale: true, down: [workload] })).toMatchObject({
      type: "Scale",
      workloads: [workload],
    });
  });
});

describe("decideUse(): pods of something without replicas", () => {
  const of = (kind?: string): Pod => {
    const { metadata, ...rest } = pod("p");
    const owner = { apiVersion: "v1", kind: kind ?? "", name: "it", uid: "u", controller: true };
    return { ...rest, metadata: { ...metadata, ...(kind ? { ownerReferences: [owner] } : {}) } };
  };

  test.each([
    [
      "DaemonSet",
      "PersistentVolumeClaim data is mounted by pod shop/p of DaemonSet it, which has pods on all of its nodes, and no replicas. Delete the DaemonSet, or keep it off these nodes with its nodeSelector, until the restore has ended.",
    ],
    [
      "Job",
      "PersistentVolumeClaim data is mounted by pod shop/p of Job it, which ends by itself. The restore begins then. Delete the Job to begin now.",
    ],
    [
      undefined,
      "PersistentVolumeClaim data is mounted by pod shop/p, which belongs to nothing that has replicas. Delete the pod, or stop what makes it.",
    ],
  ])("are named with what to do: %s", (kind, message) => {
    expect(decide({ mayScale: true, users: [{ pod: of(kind) }] })).toMatchObject({
      type: "InUse",
      reason: "CannotScaleDown",
      message,
    });
  });

  test("the CronJob that makes the Job is to be suspended", () => {
    const users = [{ pod: of("Job"), cronJob: "nightly" }];
    expect(decide({ mayScale: true, users })).toMatchObject({
      message: expect.stringContaining("Delete the Job to begin now, and suspend CronJob nightly."),
    });
  });
});

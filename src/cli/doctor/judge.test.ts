import { describe, expect, test } from "vitest";
import type { ShownObject } from "../../core/view/shown_object.ts";
import type { Backup } from "../../kinds/kopiur/generated/backup.ts";
import type { KubeObject } from "../../kube/object.ts";
import { backupOf, claim, condition, NOW, native, recipe } from "../testing/cli_samples.ts";
import type { Finding } from "./finding.ts";
import { judgeClocks, judgeLeases, judgeRights } from "./judge_install.ts";
import { judgeStorage, judgeStuck } from "./judge_objects.ts";

const levels = (findings: readonly Finding[]) => findings.map(({ level }) => level);
const named = (name: string, more: object = {}) => ({ ...native<KubeObject>("X", name), ...more }) as never;

test("the control plane for one machine needs no lease", () => {
  expect(judgeLeases([], { text: "v1.37.1+holdfast" })).toMatchObject([{ level: "ok" }]);
  expect(judgeLeases([], { text: "v1.37.1" })).toMatchObject([{ level: "warning" }]);
});

test.each([
  [[], ["warning"], "no operator holds a lease"],
  [[{ name: "ns/l", holder: "pod-1", renewed: true, watchedMs: 900 }], ["ok"], "pod-1 leads"],
  [
    [{ name: "ns/l", holder: "pod-1", renewed: false, watchedMs: 15_000 }],
    ["error"],
    "did not renew it for 15s",
  ],
  [[{ name: "ns/l", holder: "", renewed: false, watchedMs: 15_000 }], ["error"], "It has no holder"],
  [
    [
      { name: "ns/l", holder: "pod-1", renewed: true, watchedMs: 15_000 },
      { name: "old/l", holder: "", renewed: false, watchedMs: 15_000 },
    ],
    ["ok", "warning"],
    "kubectl delete lease l -n old",
  ],
  [
    [
      { name: "ns/l", holder: "pod-1", renewed: true, watchedMs: 15_000 },
      { name: "other/l", holder: "pod-2", renewed: false, watchedMs: 15_000 },
    ],
    ["ok", "error"],
    "It belongs to pod-2",
  ],
])("leases: %j", (leases, wanted, text) => {
  const found = judgeLeases(leases);
  expect(levels(found)).toEqual(wanted);
  expect(JSON.stringify(found)).toContain(text);
});

test("a right that is missing names the commands that need it", () => {
  const right = { verb: "create", resource: "pods", subresource: "exec", group: "", for: "ls" };
  expect(judgeRights([{ ...right, allowed: false }])).toEqual([
    expect.objectContaining({
      level: "warning",
      what: "you may not create pods/exec",
      why: "ls will be refused.",
    }),
  ]);
  expect(levels(judgeRights([{ ...right, allowed: true }]))).toEqual(["ok"]);
});

test.each([
  [1_000, "ok", "agree"],
  [120_000, "warning", "2m ahead of"],
  [-120_000, "warning", "2m behind"],
])("clocks that differ by %d ms", (skew, level, text) => {
  expect(judgeClocks(skew)).toMatchObject({ level, what: expect.stringContaining(text) });
});

describe("storage", () => {
  const isDefault = { "storageclass.kubernetes.io/is-default-class": "true" };
  const fast = (annotations: object = isDefault) =>
    named("fast", { provisioner: "csi", metadata: { name: "fast", annotations } });
  const snapshots = [named("snap", { driver: "csi" })];
  const of = (storageClassName: string) => ({ ...claim("data"), spec: { storageClassName } }) as never;
  const claims = [of("fast")];
  const wants = { ...recipe("data"), spec: { ...recipe("data").spec, copyMethod: "Snapshot" as const } };
  test.each<[what: string, facts: Parameters<typeof judgeStorage>[0], wanted: readonly string[]]>([
    [
      "all is there",
      { classes: [fast()], snapshotClasses: snapshots, configs: [wants], claims },
      ["ok", "ok"],
    ],
    [
      "no default",
      { classes: [fast({})], snapshotClasses: snapshots, configs: [], claims },
      ["warning", "ok"],
    ],
    [
      "two defaults",
      { classes: [fast(), fast()], snapshotClasses: snapshots, configs: [], claims },
      ["warning", "ok"],
    ],
    [
      "no snapshots, and nobody wants any",
      { classes: [fast()], configs: [recipe("data")], claims },
      ["ok", "warning"],
    ],
    [
      "no snapshots, and a recipe wants them",
      { classes: [fast()], configs: [wants], claims },
      ["ok", "error"],
    ],
    [
      "no snapshots in a class that no recipe captures",
      { classes: [fast()], configs: [wants], claims: [of("other")] },
      ["ok", "warning"],
    ],
    [
      "no snapshots, and nobody may look at claims",
      { classes: [fast()], configs: [wants], claims: [] },
      ["ok", "warning"],
    ],
    [
      "no snapshots, and a recipe that has not resolved",
      { classes: [fast()], configs: [{ ...wants, status: {} }], claims },
      ["ok", "warning"],
    ],
    [
      "of another driver",
      { classes: [fast()], snapshotClasses: [named("s", { driver: "x" })], configs: [wants], claims },
      ["ok", "error"],
    ],
  ])("%s", (_, facts, wanted) => {
    expect(levels(judgeStorage(facts))).toEqual(wanted);
  });
});

/** As the native API shows its kinds. */
const run = {
  runsOnce: true,
  planOf: (object: ShownObject) => (object as Partial<Backup>).spec?.configRef,
} as const;
const known = (...objects: readonly ShownObject[]) =>
  objects.map((object) => ({ object, kind: ["Backup", "Restore"].includes(object.kind) ? run : {} }));

describe("stuck objects", () => {
  const deleting = native("Backup", "gone", { status: { phase: "Deleting" } });
  const at = (object: typeof deleting, metadata: object) => ({
    ...object,
    metadata: { ...object.metadata, ...metadata },
  });
  test.each<[what: string, object: typeof deleting, level: string, text: string]>([
    [
      "a deletion of an hour",
      at(deleting, { deletionTimestamp: "2026-05-24T11:00:00Z", finalizers: ["f"] }),
      "error",
      "held by f",
    ],
    ["a deletion of a minute", at(deleting, { deletionTimestamp: "2026-05-24T11:59:00Z" }), "ok", "stuck"],
    [
      "one that is stalled",
      native("Repository", "r", {
        status: { phase: "Failed", conditions: [condition("Stalled", "True", "Bad", "edit it")] },
      }),
      "error",
      "edit it",
    ],
    [
      "a run that failed",
      native("Restore", "r", {
        status: { phase: "Failed", conditions: [condition("Stalled", "True", "Bad", "edit it")] },
      }),
      "warning",
      "Restore home/r has failed",
    ],
    [
      "a run that was cancelled",
      backupOf("data", "b", {
        phase: "Failed",
        conditions: [
          condition("Ready", "False", "Cancelled", "over"),
          condition("Stalled", "True", "Cancelled", "over"),
        ],
      }),
      "ok",
      "stuck",
    ],
    ["one that nobody looked at", native("Backup", "b"), "error", "Nobody has looked at it"],
    [
      "one that waits for an hour",
      native("Backup", "b", {
        status: { phase: "Pending", conditions: [condition("Reconciling", "True", "Queued", "its turn")] },
      }),
      "warning",
      "its turn",
    ],
    [
      "one that runs for an hour",
      native("Backup", "b", {
        status: { phase: "Running", conditions: [condition("Reconciling", "True", "Running", "")] },
      }),
      "ok",
      "stuck",
    ],
    [
      "one that has begun, and is held up",
      native("Backup", "b", {
        status: {
          phase: "Running",
          conditions: [condition("Reconciling", "True", "NodeSilent", "its node does not answer")],
        },
      }),
      "warning",
      "its node does not answer",
    ],
    [
      "a restore that has begun, and is held up",
      native("Restore", "r", {
        status: {
          phase: "Restoring",
          conditions: [condition("Reconciling", "True", "NodeUnknown", "its node cannot be looked at")],
        },
      }),
      "warning",
      "Restore home/r is held up",
    ],
  ])("%s", (_, object, level, text) => {
    const found = judgeStuck(known(object), NOW);
    expect(levels(found)).toEqual([level]);
    expect(JSON.stringify(found)).toContain(text);
  });
});

test("a backup that failed counts until one of the same recipe succeeds", () => {
  const bad = backupOf("data", "bad", {
    phase: "Failed",
    conditions: [condition("Ready", "False", "Full", "no room")],
  });
  expect(judgeStuck(known(bad, backupOf("other", "good", {})), NOW)).toMatchObject([
    { level: "warning", what: "Backup home/bad has failed", why: "no room" },
  ]);
  expect(levels(judgeStuck(known(bad, backupOf("data", "good", {})), NOW))).toEqual(["ok"]);
});

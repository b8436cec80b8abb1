import { expect, test } from "vitest";
import type { ShownObject } from "../../core/view/shown_object.ts";
import { ANNOTATIONS } from "../../kinds/kopiur/annotations.ts";
import type { Backup } from "../../kinds/kopiur/generated/backup.ts";
import type { Restore } from "../../kinds/kopiur/generated/restore.ts";
import { awaitedOf, pruningConfirmation } from "./acknowledge.ts";
import { deletionPlan, halfWrittenConfirmation, refuseHeld, restoreDeletionPlan } from "./delete.ts";
import { refuseEnded } from "./retry.ts";

const NOW = Date.parse("2026-05-24T02:13:00Z");
const AT = "2026-05-24T02:12:00Z";
const object = (kind: string, status: object, more = {}) =>
  ({
    kind,
    metadata: { namespace: "billing", name: "one", creationTimestamp: AT, ...more },
    spec: {},
    status,
  }) as unknown;
const shown = (kind: string, status: object) => object(kind, status) as ShownObject;
const condition = (type: string, message: string, more = {}) => ({
  type,
  status: "True",
  reason: "Reason",
  message,
  lastTransitionTime: AT,
  ...more,
});

test.each<[string, ShownObject, string, string]>([
  [
    "held deletions",
    shown("Repository", {
      conditions: [condition("DeletionsHeld", "held")],
      deletions: { held: 3, acknowledgeToken: "token" },
    }),
    ANNOTATIONS.acknowledgeDeletions,
    "token",
  ],
  [
    "snapshots that are missing",
    shown("Repository", { conditions: [condition("CatalogShrunk", "shrunk")] }),
    ANNOTATIONS.acknowledgeCatalog,
    AT,
  ],
  [
    "a source that shrank",
    shown("BackupConfig", {
      conditions: [
        condition(
          "PruningPaused",
          `It shrank. To acknowledge it, set the annotation ${ANNOTATIONS.acknowledgeShrink}=monday-1.`,
        ),
      ],
    }),
    ANNOTATIONS.acknowledgeShrink,
    "monday-1",
  ],
  [
    "a volume that was left half written",
    shown("Restore", { conditions: [condition("TargetIncomplete", "half")] }),
    "holdfast.dev/acknowledge-incomplete",
    AT,
  ],
  [
    "another maintainer",
    shown("Maintenance", {
      conditions: [condition("Ready", "owned", { status: "False", reason: "OwnedByAnother" })],
      ownership: { owner: "them" },
    }),
    ANNOTATIONS.acknowledgeTakeover,
    "them",
  ],
])("%s can be acknowledged", (_, one, annotation, value) => {
  expect(awaitedOf(one)).toMatchObject([{ annotation, value }]);
});

test("whoever lets retention go on after a source shrank types the name, and is told what goes", () => {
  const at = NOW;
  const made = (count: number) => Array.from({ length: count }, (_, i) => ({ backup: `day-${i}`, at }));
  const kept = [{ backup: "small", at, because: ["the newest"] }];
  expect(pruningConfirmation("data", { kept, deleted: made(2) })).toEqual({
    option: "confirm-pruning",
    name: "data",
    why: "Retention then DELETES 2 Backups with their snapshots, and keeps 1. To keep one of them, run holdfast hold backup/NAME first. They are: day-0, day-1.",
  });
  expect(pruningConfirmation("data", { kept, deleted: made(11) })?.why).toMatch(/day-7 and 3 more\.$/);
  expect(pruningConfirmation("data", { kept, deleted: [] })).toBeUndefined();
  expect(pruningConfirmation("data", undefined)).toBeUndefined();
});

test("what is well waits for nothing", () => {
  expect(
    awaitedOf(shown("Repository", { conditions: [condition("DeletionsHeld", "", { status: "False" })] })),
  ).toEqual([]);
});

test.each([
  ["Succeeded", /is not tried again/],
  ["Discovered", /is not tried again/],
])("a Backup that is %s is not tried again", (phase, wanted) => {
  expect(() => refuseEnded(shown("Backup", { phase }))).toThrow(wanted);
});

test.each(["Failed", "Running", "Pending"])("a Backup that is %s is", (phase) => {
  expect(() => refuseEnded(shown("Backup", { phase }))).not.toThrow();
});

test("the plan of a deletion says what goes, and what stays", () => {
  const backup = object("Backup", {
    snapshots: [{ kopiaSnapshotID: "k1", pvc: "billing/documents" }],
  }) as Backup;
  expect(deletionPlan(backup, false, NOW)).toEqual([
    "Backup one, made 1m ago, is deleted.",
    "Its snapshots are DELETED with it: k1 of billing/documents",
    expect.stringContaining("the last good one of a volume"),
  ]);
  expect(deletionPlan(backup, true, NOW)[1]).toBe(
    "Its snapshots stay in the repository: k1 of billing/documents",
  );
});

const incompletely = {
  phase: "Failed",
  conditions: [condition("TargetIncomplete", "half")],
  scaledWorkloads: [{ kind: "Deployment", name: "db", replicas: 1 }],
};
const writing = {
  phase: "Restoring",
  work: { restore: { attempt: 1, step: "Work", failures: 0, job: "j" } },
};
test.each([
  ["left its volume half written", incompletely, true],
  ["writes", writing, true],
  ["has completed", { phase: "Completed" }, false],
  ["has not begun", { phase: "Pending" }, false],
])("whoever deletes a Restore that %s has to type the claim: %3$s", (_, status, asked) => {
  const restore = object("Restore", status) as Restore;
  const inPlace = { ...restore, spec: { target: { pvcRef: { name: "data" } } } } as unknown as Restore;
  expect(halfWrittenConfirmation(inPlace)?.name).toBe(asked ? "data" : undefined);
  expect(restoreDeletionPlan(inPlace).join(" ").includes("HALF WRITTEN")).toBe(asked);
});

test("the plan of a Restore's deletion says what starts on the half-written volume", () => {
  const restore = object("Restore", incompletely) as Restore;
  const inPlace = { ...restore, spec: { target: { pvcRef: { name: "data" } } } } as unknown as Restore;
  expect(restoreDeletionPlan(inPlace)).toContain(
    "What was scaled down for it STARTS ON THAT VOLUME: Deployment db",
  );
});

test("a Backup that is held is not deleted", () => {
  const held = object("Backup", {}, { annotations: { [ANNOTATIONS.hold]: "true" } }) as Backup;
  expect(() => refuseHeld(held)).toThrow("Backup one is held");
  expect(() => refuseHeld(object("Backup", {}) as Backup)).not.toThrow();
});

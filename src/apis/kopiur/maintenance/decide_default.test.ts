import { describe, expect, test } from "vitest";
import { NOW } from "../../../core/testing/samples.ts";
import type { Maintenance } from "../../../kinds/kopiur/generated/maintenance.ts";
import { LABELS } from "../../../kinds/kopiur/labels.ts";
import { readyNas, repository } from "../testing/samples.ts";
import { decideDefault, type ObservedMaintenances } from "./decide_default.ts";
import { defaultMaintenance } from "./default_maintenance.ts";
import { sampleMaintenance } from "./testing/sample_maintenance.ts";

const byDefault = sampleMaintenance({ metadata: { labels: { [LABELS.defaultMaintenance]: "true" } } });
const written = sampleMaintenance({ metadata: { name: "mine", uid: "uid-mine" } });
const going = (one: Maintenance): Maintenance => ({
  ...one,
  metadata: { ...one.metadata, deletionTimestamp: "2026-05-24T00:00:00Z" },
});
const off = { maintenance: { enabled: false } };
const known = { maintenanceRef: { name: "nas", namespace: "billing" } };

const decide = (more: Partial<ObservedMaintenances> = {}) =>
  decideDefault({ repository: readyNas(), maintenances: [], placeIsThere: true, now: NOW, ...more });
const condition = ({ status }: ReturnType<typeof decide>, type: string) =>
  status?.conditions?.find((one) => one.type === type);

describe("decideKeeping()", () => {
  test("a repository that has none gets one", () => {
    expect(decide()).toEqual({ create: true, remove: [], events: [] });
    expect(decide({ maintenances: [going(byDefault)] }).create).toBe(true);
  });

  test.each<[string, Partial<ObservedMaintenances>]>([
    ["nobody knows whether it is one", { repository: repository() }],
    ["its namespace is going", { placeIsThere: false }],
  ])("but not while %s", (_, more) => {
    expect(decide(more)).toEqual({ create: false, remove: [], events: [] });
  });

  test("a read-only one gets none, loses the one by default, and gets it back when it may be written again", () => {
    const archive = readyNas({ spec: { access: { readOnly: true } }, status: known });
    const decision = decide({ repository: archive, maintenances: [byDefault] });
    expect(decision).toMatchObject({ create: false, remove: [byDefault], events: [] });
    expect(decision.status).not.toHaveProperty("maintenanceRef");
    expect(condition(decision, "MaintenanceConfigured")).toMatchObject({
      status: "False",
      reason: "RepositoryReadOnly",
      message: expect.stringContaining("Repository billing/nas is not maintained or unlocked"),
    });
    expect(decide({ repository: readyNas({ status: { ...decision.status } }) }).create).toBe(true);
  });

  test("who maintains it shows on it", () => {
    const conditions = [
      {
        type: "OwnershipClaimed",
        status: "True",
        reason: "Claimed",
        message: "By kopiur/nas.",
        lastTransitionTime: "2026-05-24T00:00:00Z",
      },
    ] as const;
    const decision = decide({ maintenances: [{ ...byDefault, status: { conditions } }] });
    expect(decision).toMatchObject({ create: false, remove: [], events: [], status: known });
    expect(condition(decision, "MaintenanceConfigured")).toMatchObject({
      status: "True",
      reason: "ByDefault",
    });
    expect(condition(decision, "MaintenanceOwned")).toMatchObject({
      status: "True",
      message: "By kopiur/nas.",
    });
  });

  const at = "2026-05-24T02:13:00Z";
  const missing = { packs: 1, snapshots: 0 };
  const checkedBy = (lastCheck: NonNullable<Maintenance["status"]>["lastCheck"]) => [
    { ...byDefault, status: lastCheck ? { lastCheck } : {} },
  ];

  test("nothing is said of what it holds before the first check, and no event of one that finds nothing", () => {
    expect(condition(decide({ maintenances: checkedBy(undefined) }), "Intact")).toBeUndefined();
    const decision = decide({ maintenances: checkedBy({ at, healthy: true }) });
    expect(condition(decision, "Intact")).toMatchObject({ status: "True", reason: "Checked" });
    expect(decision.events).toEqual([]);
  });

  test("what its storage has lost shows on it, with one warning, until everything is there", () => {
    const lost = checkedBy({ at, healthy: false, problems: ["pack p1 is missing"], missing });
    const first = decide({ maintenances: lost });
    expect(first.status?.missingData).toEqual(missing);
    expect(condition(first, "Intact")).toMatchObject({
      status: "False",
      reason: "DataMissing",
      message: expect.stringMatching(
        /^The storage has lost 1 pack of the repository\. No snapshot needs it so far\. Delete nothing/,
      ),
    });
    expect(first.events).toEqual([expect.objectContaining({ type: "Warning", reason: "DataMissing" })]);
    const later = readyNas({ status: first.status ?? {} });
    expect(decide({ repository: later, maintenances: lost }).events).toEqual([]);
    // Another Maintenance has not looked yet.
    const other = decide({ repository: later, maintenances: checkedBy(undefined) });
    expect(other.status?.missingData).toEqual(missing);
    expect(condition(other, "Intact")?.status).toBe("False");
    const healed = decide({ repository: later, maintenances: checkedBy({ at, healthy: true }) });
    expect(healed.status).not.toHaveProperty("missingData");
    expect(condition(healed, "Intact")?.status).toBe("True");
    expect(healed.events).toEqual([expect.objectContaining({ type: "Normal", reason: "Intact" })]);
    const abandoned = decide({ repository: later, maintenances: [] });
    expect(abandoned.status).not.toHaveProperty("missingData");
    expect(condition(abandoned, "Intact")).toBeUndefined();
  });

  test("other damage shows on it, too", () => {
    const decision = decide({ maintenances: checkedBy({ at, healthy: false, problems: ["tree t1"] }) });
    expect(condition(decision, "Intact")).toMatchObject({ status: "False", reason: "Corrupt" });
    expect(decision.status).not.toHaveProperty("missingData");
  });

  test("one that somebody wrote takes the place of the one by default, however young it is", () => {
    const young = {
      ...written,
      metadata: { ...written.metadata, creationTimestamp: "2026-06-01T00:00:00Z" },
    };
    const decision = decide({ repository: readyNas({ status: known }), maintenances: [byDefault, young] });
    expect(decision.remove).toEqual([byDefault]);
    expect(decision.status?.maintenanceRef).toEqual({ name: "mine", namespace: "billing" });
    expect(condition(decision, "MaintenanceConfigured")).toMatchObject({ reason: "Configured" });
  });

  test("one that was deleted is not made again, and a warning is given once", () => {
    const first = decide({ repository: readyNas({ status: known }) });
    expect(first).toMatchObject({ create: false, remove: [], status: known });
    expect(first.events).toEqual([
      expect.objectContaining({ type: "Warning", reason: "MaintenanceNotConfigured" }),
    ]);
    expect(condition(first, "MaintenanceConfigured")).toMatchObject({
      status: "False",
      message: expect.stringContaining("Maintenance billing/nas was deleted"),
    });
    const again = decide({ repository: readyNas({ status: first.status ?? {} }) });
    expect(again.events).toEqual([]);
    expect(again.create).toBe(false);
  });

  test("one that may not maintain it takes nobody's place, and is no memory of one", () => {
    const kept = decide({ maintenances: [byDefault], strangers: [written] });
    expect(kept).toMatchObject({ remove: [], status: known });
    const displaced = { maintenanceRef: { name: "mine", namespace: "billing" } };
    const again = decide({ repository: readyNas({ status: displaced }), strangers: [written] });
    expect(again).toEqual({ create: true, remove: [], events: [] });
  });

  test("switched off, the one by default goes, and the repository says that nobody maintains it", () => {
    const decision = decide({
      repository: readyNas({ spec: off, status: known }),
      maintenances: [byDefault],
    });
    expect(decision.remove).toEqual([byDefault]);
    expect(decision.status?.maintenanceRef).toBeUndefined();
    expect(condition(decision, "MaintenanceConfigured")).toMatchObject({
      status: "False",
      reason: "MaintenanceNotConfigured",
    });
    expect(decision.events).toHaveLength(1);
  });

  test("switched off and on again, there is one again", () => {
    const off1 = decide({ repository: readyNas({ spec: off, status: known }) });
    expect(decide({ repository: readyNas({ status: off1.status ?? {} }) }).create).toBe(true);
  });

  test("switched off, one that somebody wrote stays", () => {
    const decision = decide({ repository: readyNas({ spec: off }), maintenances: [written] });
    expect(decision.remove).toEqual([]);
    expect(condition(decision, "MaintenanceConfigured")).toMatchObject({ status: "True" });
  });
});

describe("defaultMaintenance()", () => {
  test("names the repository, goes with it, and leaves all else to the defaults", () => {
    const draft = defaultMaintenance(readyNas(), "billing");
    expect(draft).toMatchObject({
      metadata: {
        namespace: "billing",
        name: "nas",
        labels: { [LABELS.defaultMaintenance]: "true" },
        ownerReferences: [{ kind: "Repository", name: "nas", blockOwnerDeletion: false }],
      },
    });
    expect(draft.spec).toEqual({ repository: { kind: "Repository", name: "nas" } });
  });

  test("of a ClusterRepository is in the operator's namespace, and beside a Repository of that name", () => {
    const { namespace: _, ...metadata } = readyNas().metadata;
    const draft = defaultMaintenance(
      { ...readyNas(), kind: "ClusterRepository", metadata } as never,
      "holdfast",
    );
    expect(draft.metadata).toMatchObject({ namespace: "holdfast", name: "cluster-nas" });
    expect(draft.spec.repository).toEqual({ kind: "ClusterRepository", name: "nas" });
  });
});

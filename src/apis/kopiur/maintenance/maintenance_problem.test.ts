import { describe, expect, test } from "vitest";
import { blocked } from "../../../core/reconcile/problem.ts";
import type { Maintenance } from "../../../kinds/kopiur/generated/maintenance.ts";
import type { ObjectKey } from "../../../kube/object.ts";
import { err, ok } from "../../../lib/result.ts";
import type { RepositoryUse } from "../repository_use.ts";
import { readyNas, repository } from "../testing/samples.ts";
import { brokenRule, unusable } from "./maintenance_problem.ts";
import { sampleMaintenance, scheduled } from "./testing/sample_maintenance.ts";

const forbidden = err(blocked("Forbidden", "It is not allowed."));

function use(object: RepositoryUse["repository"], more: Partial<RepositoryUse> = {}): RepositoryUse {
  const permitted = object ? ok(object) : forbidden;
  return { key: "billing/nas" as ObjectKey, repository: object, permitted, ready: forbidden, ...more };
}

const ofCluster = (object = readyNas()) => {
  const { namespace: _, ...metadata } = object.metadata;
  return { ...object, kind: "ClusterRepository", metadata } as never;
};

describe("unusable()", () => {
  test.each(["Ready", "Degraded", "Failed"])(
    "a repository that is known and %s can be maintained",
    (phase) => {
      expect(unusable(use(readyNas({ status: { phase } })), false)).toBeUndefined();
    },
  );

  test("one that never answered is waited for", () => {
    expect(unusable(use(repository()), false)).toMatchObject({
      reason: "RepositoryNotReady",
      class: "transient",
    });
  });

  test("a read-only one is not maintained, from wherever", () => {
    const archive = readyNas({ spec: { access: { readOnly: true } } });
    expect(unusable(use(archive), false)).toMatchObject({
      reason: "RepositoryReadOnly",
      class: "structural",
    });
    expect(unusable(use(ofCluster(archive)), true)?.reason).toBe("RepositoryReadOnly");
  });

  test("one that may not be used is not maintained, not even from the operator's namespace", () => {
    expect(unusable(use(readyNas(), { permitted: forbidden }), true)?.reason).toBe("Forbidden");
    expect(unusable(use(undefined), true)?.reason).toBe("Forbidden");
  });

  test("a ClusterRepository is maintained from the operator's namespace, whoever else may use it", () => {
    expect(unusable(use(ofCluster(), { permitted: forbidden }), true)).toBeUndefined();
    expect(unusable(use(ofCluster(), { permitted: forbidden }), false)?.reason).toBe("Forbidden");
  });
});

describe("brokenRule()", () => {
  const maintenance = sampleMaintenance();
  const broken = (one: Maintenance, entitled: readonly Maintenance[]) =>
    brokenRule(one, { entitled, operatorNamespace: "holdfast" });

  test("a ClusterRepository is maintained from the operator's namespace alone", () => {
    const spec = { repository: { kind: "ClusterRepository", name: "shared" } } as const;
    expect(broken(sampleMaintenance({ spec }), [])).toMatchObject({
      reason: "NotMaintainedFromHere",
      class: "structural",
      message: expect.stringContaining("is maintained from the operator's namespace holdfast alone"),
    });
    expect(broken(sampleMaintenance({ metadata: { namespace: "holdfast" }, spec }), [])).toBeUndefined();
  });

  test("none is broken by itself alone", () => {
    expect(broken(maintenance, [maintenance])).toBeUndefined();
  });

  test("the later of two gives way", () => {
    const later = sampleMaintenance({
      metadata: { name: "late", creationTimestamp: "2026-06-01T00:00:00Z" },
    });
    expect(broken(later, [maintenance, later])).toMatchObject({
      reason: "SecondMaintenance",
      class: "terminal",
      message: expect.stringContaining("Maintenance billing/nas maintains it already"),
    });
    expect(broken(maintenance, [maintenance, later])).toBeUndefined();
  });

  test("a time that nobody could tell is refused", () => {
    const spec = scheduled({ full: { cron: "0 25 * * *", jitter: "0s" } });
    expect(broken(sampleMaintenance({ spec }), [])?.reason).toBe("InvalidSchedule");
  });
});

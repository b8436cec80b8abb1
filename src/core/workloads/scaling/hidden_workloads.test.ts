import { describe, expect, test } from "vitest";
import { ApiError } from "../../../kube/api_error.ts";
import { Failure } from "../../../kube/failure.ts";
import type { KubeObject } from "../../../kube/object.ts";
import { RecordingClient } from "../../../kube/testing/recording_client.ts";
import { carryOutScaling } from "./carry_out_scaling.ts";
import { observeUsers, observeWorkloads } from "./observe_users.ts";
import { ROLLOUTS } from "./testing/rollouts.ts";
import type { Scalable, Workload } from "./workload.ts";

const namespace = "shop";
const meta = (name: string, more: object = {}) => ({
  name,
  namespace,
  uid: `uid-${name}`,
  resourceVersion: "1",
  creationTimestamp: "2026-01-01T00:00:00Z",
  ...more,
});
const ownedBy = (apiVersion: string, kind: string, name: string) => ({
  ownerReferences: [{ apiVersion, kind, name, uid: `uid-${name}`, controller: true }],
});
const crd = {
  spec: {
    group: "argoproj.io",
    scope: "Namespaced",
    names: { kind: "Rollout", plural: "rollouts" },
    versions: [{ name: "v1alpha1", subresources: { scale: { specReplicasPath: ".spec.replicas" } } }],
  },
};
const set: KubeObject = {
  apiVersion: "apps/v1",
  kind: "ReplicaSet",
  metadata: meta("web-1", ownedBy("argoproj.io/v1alpha1", "Rollout", "web")),
};
const podOf = (name: string, owner: object) => ({
  apiVersion: "v1",
  kind: "Pod",
  metadata: meta(name, owner),
  spec: { volumes: [{ name: "data", persistentVolumeClaim: { claimName: "data" } }] },
});
const forbidden = () =>
  new ApiError({
    request: "get",
    code: 403,
    status: { code: 403, reason: "Forbidden", message: "rollouts is forbidden" },
  });

/** With these pods, of which no Rollout can be read. */
const reader = (pods: readonly object[]) =>
  new RecordingClient(({ verb, resource }) => {
    if (resource.kind === "Rollout") throw forbidden();
    if (verb === "get") return set;
    if (resource.kind === "Pod") return { items: pods };
    return { items: resource.kind === "CustomResourceDefinition" ? [crd] : [] };
  });

describe("what may not be read", () => {
  test.each([
    ["at the first look", podOf("one", ownedBy("argoproj.io/v1alpha1", "Rollout", "web"))],
    [
      "above what can be read, and would set that back",
      podOf("one", ownedBy("apps/v1", "ReplicaSet", "web-1")),
    ],
  ])("is named, and nothing is scaled in its stead: %s", async (_, pod) => {
    const { users } = await observeUsers(reader([pod]), { namespace, name: "data" });
    expect(users).toEqual([{ pod, hidden: { resource: ROLLOUTS, name: "web" } }]);
  });

  test("is told apart from what is gone", async () => {
    const name = { apiVersion: "argoproj.io/v1alpha1", kind: "Rollout", name: "web" };
    const found = await observeWorkloads(reader([]), [name], namespace);
    expect(found).toEqual({ seen: [], hidden: [{ resource: ROLLOUTS, name: "web" }] });
  });
});

describe("what may not be changed", () => {
  const object: Scalable = { apiVersion: "argoproj.io/v1alpha1", kind: "Rollout", metadata: meta("web") };
  const workload: Workload = { resource: ROLLOUTS, object, replicas: 2 };
  const refusing = (code: number, reason: string) =>
    new RecordingClient(() => {
      throw new ApiError({ request: "patch", code, status: { code, reason, message: "no" } });
    });
  const scaling = (type: "ScaleDown" | "ScaleUp", code: number, reason: string) =>
    carryOutScaling(refusing(code, reason), [{ type, workload, holder: "a" }]);

  test("says which right is missing", async () => {
    const refused = scaling("ScaleDown", 403, "Forbidden");
    await expect(refused).rejects.toBeInstanceOf(Failure);
    await expect(refused).rejects.toMatchObject({
      class: "structural",
      reason: "CannotScale",
      message:
        "Rollout web could not be scaled down: no. Grant the operator get and patch on rollouts.argoproj.io (the chart's rbac.extraRules), or scale it down yourself.",
    });
    await expect(scaling("ScaleUp", 422, "Invalid")).rejects.toMatchObject({
      class: "structural",
      message: "Rollout web could not be scaled up: no. Meet the rule, or scale it up yourself.",
    });
  });

  test("is tried again soon where that may help", async () => {
    await expect(scaling("ScaleUp", 409, "Conflict")).rejects.toBeInstanceOf(ApiError);
  });
});

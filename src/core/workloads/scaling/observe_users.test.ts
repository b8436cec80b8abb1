import { expect, test } from "vitest";
import { ApiError } from "../../../kube/api_error.ts";
import type { KubeObject } from "../../../kube/object.ts";
import { RecordingClient } from "../../../kube/testing/recording_client.ts";
import { observeUsers, observeWorkloads } from "./observe_users.ts";
import { SCALED_FOR } from "./scaling_marks.ts";

const claim = { namespace: "shop", name: "data" };
const volumes = [{ name: "data", persistentVolumeClaim: { claimName: claim.name } }];
const notFound = () =>
  new ApiError({ request: "get", code: 404, status: { code: 404, reason: "NotFound", message: "gone" } });

interface Owner {
  readonly kind: string;
  readonly name: string;
  readonly uid?: string;
  readonly controller?: boolean;
}

const metadata = (name: string, owner?: Owner, more: object = {}) => ({
  namespace: claim.namespace,
  name,
  uid: `uid-${name}`,
  resourceVersion: "1",
  creationTimestamp: "2026-01-01T00:00:00Z",
  ...(owner
    ? { ownerReferences: [{ apiVersion: "apps/v1", controller: true, uid: `uid-${owner.name}`, ...owner }] }
    : {}),
  ...more,
});

const pod = (owner?: Owner, more: object = {}): KubeObject =>
  ({
    apiVersion: "v1",
    kind: "Pod",
    metadata: metadata("web-0", owner),
    spec: { volumes },
    ...more,
  }) as never;
const replicated = (kind: string, name: string, owner?: Owner, more?: object): KubeObject =>
  ({
    apiVersion: "apps/v1",
    kind,
    metadata: metadata(name, owner, more),
    spec: { replicas: 3, template: { spec: { volumes } } },
  }) as never;

/** A cluster with these objects, that gives up where nobody would ever stop asking. */
const cluster = (...objects: readonly KubeObject[]) => {
  let left = 20;
  return new RecordingClient(({ verb, resource, name }) => {
    left -= 1;
    if (left < 0) throw new Error("asked again and again");
    const items = objects.filter(({ kind }) => kind === resource.kind);
    if (verb !== "get") return { items };
    const found = items.find((one) => one.metadata.name === name?.name);
    if (!found) throw notFound();
    return found;
  });
};

const usersOf = async (...objects: readonly KubeObject[]) => {
  const { users } = await observeUsers(cluster(...objects), claim);
  return users.map(({ pod, workload }) => [pod.metadata.name, workload?.object.metadata.name]);
};

const set = { kind: "ReplicaSet", name: "web-1" };
const deployment = { kind: "Deployment", name: "web" };

test("observeUsers() finds what brings a pod back when it goes: the topmost that has replicas", async () => {
  const above = [replicated("ReplicaSet", "web-1", deployment), replicated("Deployment", "web")];
  expect(await usersOf(pod(set), ...above)).toEqual([["web-0", "web"]]);
});

test("observeUsers() knows what goes down with the topmost", async () => {
  const above = [replicated("ReplicaSet", "web-1", deployment), replicated("Deployment", "web")];
  const { users } = await observeUsers(cluster(pod(set), ...above), claim);
  expect(users[0]?.below?.map(({ object }) => object.metadata.name)).toEqual(["web-1"]);
});

test.each([
  ["has no owner", pod(), []],
  [
    "has one that does not control it",
    pod({ ...set, controller: false }),
    [replicated("ReplicaSet", "web-1")],
  ],
  ["has one that cannot be scaled", pod({ kind: "DaemonSet", name: "all" }), []],
  ["has one that is gone", pod(set), []],
  ["has one whose name is another's now", pod({ ...set, uid: "old" }), [replicated("ReplicaSet", "web-1")]],
])("observeUsers() knows nothing above a pod that %s", async (_, one, above) => {
  expect(await usersOf(one, ...above)).toEqual([["web-0", undefined]]);
});

test("observeUsers() goes up as far as it can", async () => {
  expect(await usersOf(pod(set), replicated("ReplicaSet", "web-1", deployment))).toEqual([
    ["web-0", "web-1"],
  ]);
});

test.each([
  [
    "another that names it",
    [
      replicated("Deployment", "web", { kind: "Deployment", name: "web-b" }),
      replicated("Deployment", "web-b", deployment),
    ],
    "web-b",
  ],
  ["itself", [replicated("Deployment", "web", deployment)], "web"],
])("observeUsers() comes to an end where a workload names %s", async (_, above, found) => {
  expect(await usersOf(pod(deployment), ...above)).toEqual([["web-0", found]]);
});

test.each(["Succeeded", "Failed"])("a pod that has %s uses nothing", async (phase) => {
  expect(await usersOf(pod(undefined, { status: { phase } }))).toEqual([]);
});

test("a pod with another claim uses nothing of this one", async () => {
  const other = [{ name: "data", persistentVolumeClaim: { claimName: "other" } }];
  expect(await usersOf(pod(undefined, { spec: { volumes: other } }))).toEqual([]);
});

test("observeUsers() finds what was scaled down, and names the claim", async () => {
  const down = replicated("Deployment", "web", undefined, { annotations: { [SCALED_FOR]: "a" } });
  const seen = await observeUsers(cluster(down, replicated("StatefulSet", "up")), claim);
  expect(seen.users).toEqual([]);
  expect(seen.down.map(({ object, replicas }) => [object.metadata.name, replicas])).toEqual([["web", 3]]);
});

test("observeUsers() finds also what names the claim and has no pods, where that is asked for", async () => {
  const { down } = await observeUsers(cluster(replicated("Deployment", "web")), { ...claim, all: true });
  expect(down.map(({ object }) => object.metadata.name)).toEqual(["web"]);
});

test("observeWorkloads() leaves out what is gone", async () => {
  const names = ["web", "gone"].map((name) => ({ apiVersion: "apps/v1", kind: "Deployment", name }));
  const { seen, hidden } = await observeWorkloads(
    cluster(replicated("Deployment", "web")),
    names,
    claim.namespace,
  );
  expect(seen.map(({ object }) => object.metadata.name)).toEqual(["web"]);
  expect(hidden).toEqual([]);
});

test("observeUsers() knows the CronJob that makes the Job of a pod", async () => {
  const job = { kind: "Job", name: "nightly-1" };
  const made = replicated("Job", "nightly-1", { kind: "CronJob", name: "nightly" });
  const cronJobs = async (...objects: readonly KubeObject[]) =>
    (await observeUsers(cluster(pod(job), ...objects), claim)).users.map(({ cronJob }) => cronJob);
  expect(await cronJobs(made)).toEqual(["nightly"]);
  expect(await cronJobs(replicated("Job", "nightly-1"))).toEqual([undefined]);
  expect(await cronJobs()).toEqual([undefined]);
});

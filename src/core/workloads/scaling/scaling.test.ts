import { afterAll, beforeAll, expect, test } from "vitest";
import { embeddedGround } from "../../../../test/conformance/world/embedded_ground.ts";
import { CustomResourceDefinitions, Pods, StatefulSets } from "../../../kube/builtin.ts";
import { HttpClient } from "../../../kube/client/http_client.ts";
import type { Draft, KubeObject, OwnerReference } from "../../../kube/object.ts";
import type { Resource } from "../../../kube/resource.ts";
import { systemClock as clock } from "../../../lib/clock.ts";
import { systemRandom as random } from "../../../lib/random.ts";
import { Applications, GITOPS_KINDS, HelmReleases } from "../gitops/gitops_kinds.ts";
import type { GitOpsOwner } from "../gitops/observe_gitops.ts";
import { PAUSED_FOR, PAUSED_FROM } from "../gitops/pause.ts";
import { carryOutScaling } from "./carry_out_scaling.ts";
import { observeUsers, observeWorkloads } from "./observe_users.ts";
import { SCALED_FOR, SCALED_FROM } from "./scaling_marks.ts";
import type { Scalable, Workload } from "./workload.ts";

const namespace = "default";
const KEEPERS: Resource<Scalable> = {
  group: "scaling.example.com",
  version: "v1",
  kind: "Keeper",
  plural: "keepers",
  namespaced: true,
};
let client: HttpClient;
let close: () => Promise<void>;

beforeAll(async () => {
  const opened = await embeddedGround();
  client = new HttpClient({ sender: opened.ground.sender, clock, random, userAgent: "test" });
  close = async () => opened[Symbol.asyncDispose]();
}, 60_000);

afterAll(() => close());

const template = (claim: string) => ({
  metadata: { labels: { app: claim } },
  spec: {
    containers: [{ name: "main", image: "holdfast/host" }],
    volumes: [{ name: "data", persistentVolumeClaim: { claimName: claim } }],
  },
});
const ownedBy = ({ apiVersion, kind, metadata }: KubeObject): OwnerReference => ({
  apiVersion,
  kind,
  name: metadata.name,
  uid: metadata.uid,
  controller: true,
});

async function statefulSet(name: string, owner?: KubeObject): Promise<KubeObject> {
  return client.create(StatefulSets, {
    metadata: { namespace, name, ...(owner ? { ownerReferences: [ownedBy(owner)] } : {}) },
    spec: {
      replicas: 3,
      serviceName: name,
      selector: { matchLabels: { app: name } },
      template: template(name),
    },
  });
}

/** Nothing runs it: its claim is missing. */
async function podOf(name: string, claim: string, owner?: KubeObject): Promise<void> {
  const { spec } = template(claim);
  await client.create(Pods, {
    metadata: { namespace, name, ...(owner ? { ownerReferences: [ownedBy(owner)] } : {}) },
    spec,
  });
}

async function onlyWorkload(claim: string): Promise<Workload> {
  const { users, down } = await observeUsers(client, { namespace, name: claim });
  const found = users[0]?.workload ?? down[0];
  if (!found) throw new Error(`nothing uses ${claim}`);
  return found;
}

const seen = async (resource: Resource<Scalable>, name: string) => {
  const { metadata, spec } = await client.get(resource, { namespace, name });
  const { [SCALED_FOR]: holders, [SCALED_FROM]: from } = metadata.annotations ?? {};
  return [spec?.replicas, holders, from];
};
const sets = StatefulSets as Resource<Scalable>;

test("the last holder brings a workload back to what the first one found", async () => {
  await podOf("one-0", "one", await statefulSet("one"));
  await carryOutScaling(client, [{ type: "ScaleDown", workload: await onlyWorkload("one"), holder: "a" }]);
  expect(await seen(sets, "one")).toEqual([0, "a", "3"]);
  await carryOutScaling(client, [{ type: "ScaleDown", workload: await onlyWorkload("one"), holder: "b" }]);
  expect(await seen(sets, "one")).toEqual([0, "a,b", "3"]);
  await carryOutScaling(client, [{ type: "ScaleUp", workload: await onlyWorkload("one"), holder: "a" }]);
  expect(await seen(sets, "one")).toEqual([0, "b", "3"]);
  await client.delete(Pods, { namespace, name: "one-0" });
  const { users, down } = await observeUsers(client, { namespace, name: "one" });
  expect([users.length, down.length]).toEqual([0, 1]);
  await carryOutScaling(client, [{ type: "ScaleUp", workload: await onlyWorkload("one"), holder: "b" }]);
  expect(await seen(sets, "one")).toEqual([3, undefined, undefined]);
});

test("a number that somebody set meanwhile stays", async () => {
  await podOf("two-0", "two", await statefulSet("two"));
  await carryOutScaling(client, [{ type: "ScaleDown", workload: await onlyWorkload("two"), holder: "a" }]);
  await client.setScale(StatefulSets, { namespace, name: "two" }, 5);
  await carryOutScaling(client, [{ type: "ScaleUp", workload: await onlyWorkload("two"), holder: "a" }]);
  expect(await seen(sets, "two")).toEqual([5, undefined, undefined]);
});

test("a number that somebody set meanwhile is the one to go back to, for one that has to go down again", async () => {
  await podOf("seven-0", "seven", await statefulSet("seven"));
  const workload = () => onlyWorkload("seven");
  await carryOutScaling(client, [{ type: "ScaleDown", workload: await workload(), holder: "a" }]);
  await client.setScale(StatefulSets, { namespace, name: "seven" }, 5);
  await carryOutScaling(client, [{ type: "ScaleDown", workload: await workload(), holder: "a" }]);
  expect(await seen(sets, "seven")).toEqual([0, "a", "5"]);
  await carryOutScaling(client, [{ type: "ScaleUp", workload: await workload(), holder: "a" }]);
  expect(await seen(sets, "seven")).toEqual([5, undefined, undefined]);
});

test("a HorizontalPodAutoscaler leaves a workload at zero alone, and goes on from the count that it had set", async () => {
  await podOf("nine-0", "nine", await statefulSet("nine"));
  const [least, most] = [2, 6];
  // At zero it is inactive, as Kubernetes documents.
  const autoscaler = async (wanted: number) => {
    const { spec } = await client.get(StatefulSets, { namespace, name: "nine" });
    const next = spec?.replicas === 0 ? 0 : Math.min(Math.max(wanted, least), most);
    if (next !== spec?.replicas) await client.setScale(StatefulSets, { namespace, name: "nine" }, next);
  };
  await autoscaler(5);
  await carryOutScaling(client, [{ type: "ScaleDown", workload: await onlyWorkload("nine"), holder: "a" }]);
  await autoscaler(6);
  expect(await seen(sets, "nine")).toEqual([0, "a", "5"]);
  await carryOutScaling(client, [{ type: "ScaleUp", workload: await onlyWorkload("nine"), holder: "a" }]);
  expect(await seen(sets, "nine")).toEqual([5, undefined, undefined]);
  await autoscaler(1);
  expect(await seen(sets, "nine")).toEqual([2, undefined, undefined]);
});

test("a workload that has changed since it was looked at is looked at again", async () => {
  await podOf("three-0", "three", await statefulSet("three"));
  const before = await onlyWorkload("three");
  await client.setScale(StatefulSets, { namespace, name: "three" }, 2);
  const down = carryOutScaling(client, [{ type: "ScaleDown", workload: before, holder: "a" }]);
  await expect(down).rejects.toMatchObject({ reason: "Conflict" });
  expect(await seen(sets, "three")).toEqual([2, undefined, undefined]);
});

test("one that is gone needs nothing", async () => {
  await podOf("four-0", "four", await statefulSet("four"));
  const workload = await onlyWorkload("four");
  await client.delete(StatefulSets, { namespace, name: "four" });
  await carryOutScaling(client, [{ type: "ScaleUp", workload, holder: "a" }]);
  const name = { apiVersion: "apps/v1", kind: "StatefulSet", name: "four" };
  expect(await observeWorkloads(client, [name], namespace)).toEqual({ seen: [], hidden: [] });
});

test("the topmost owner that can be scaled is, also one of a kind of somebody else", async () => {
  const { group, kind, plural } = KEEPERS;
  const schema = { openAPIV3Schema: { type: "object", "x-kubernetes-preserve-unknown-fields": true } };
  const scale = { specReplicasPath: ".spec.replicas", statusReplicasPath: ".status.replicas" };
  await client.create(CustomResourceDefinitions, {
    metadata: { name: `${plural}.${group}` },
    spec: {
      group,
      scope: "Namespaced",
      names: { kind, plural, singular: "keeper" },
      versions: [{ name: "v1", served: true, storage: true, schema, subresources: { scale } }],
    },
  });
  await expect.poll(() => client.serves(KEEPERS), { timeout: 10_000 }).toBe(true);
  const draft = { metadata: { namespace, name: "top" }, spec: { replicas: 2 } };
  const keeper = await client.create(KEEPERS, draft as Draft<Scalable>);
  await podOf("five-0", "five", await statefulSet("five", keeper));
  const workload = await onlyWorkload("five");
  expect(workload).toMatchObject({ object: { kind: "Keeper" }, replicas: 2 });
  await carryOutScaling(client, [{ type: "ScaleDown", workload, holder: "a" }]);
  expect(await seen(KEEPERS, "top")).toEqual([0, "a", "2"]);
  const name = { apiVersion: "scaling.example.com/v1", kind: "Keeper", name: "top" };
  expect(await observeWorkloads(client, [name], namespace)).toMatchObject({
    seen: [{ replicas: 0 }],
    hidden: [],
  });
});

test("what applies a workload is paused in its own words, and left as it was found", async () => {
  for (const { group, kind, plural, version } of GITOPS_KINDS) {
    const schema = { openAPIV3Schema: { type: "object", "x-kubernetes-preserve-unknown-fields": true } };
    await client.create(CustomResourceDefinitions, {
      metadata: { name: `${plural}.${group}` },
      spec: {
        group,
        scope: "Namespaced",
        names: { kind, plural, singular: kind.toLowerCase() },
        versions: [{ name: version, served: true, storage: true, schema }],
      },
    });
  }
  for (const kind of GITOPS_KINDS)
    await expect.poll(() => client.serves(kind), { timeout: 10_000 }).toBe(true);
  const release = { metadata: { namespace, name: "eight" }, spec: { suspend: false, interval: "5m" } };
  await client.create(HelmReleases, release);
  const app = { metadata: { namespace, name: "eight", annotations: { team: "shop" } } };
  await client.create(Applications, app as Draft<KubeObject>);
  await podOf("eight-0", "eight", await statefulSet("eight"));
  await client.patch(
    StatefulSets,
    { namespace, name: "eight" },
    { type: "merge", patch: { metadata: { labels: { "kustomize.toolkit.fluxcd.io/name": "apps" } } } },
  );
  const found = async (): Promise<readonly (KubeObject & { readonly spec?: object })[]> => [
    await client.get(HelmReleases, { namespace, name: "eight" }),
    await client.get(Applications, { namespace, name: "eight" }),
    await client.get(StatefulSets, { namespace, name: "eight" }),
  ];
  const told = async () =>
    (await found()).map(({ metadata, spec }) => [
      metadata.annotations,
      (spec as { suspend?: boolean })?.suspend,
    ]);
  const before = await told();
  const owners = async (): Promise<readonly GitOpsOwner[]> => {
    const [object, other] = await found();
    return [
      { resource: HelmReleases, object: object as KubeObject },
      { resource: Applications, object: other as KubeObject },
    ];
  };
  const scale = async (type: "ScaleDown" | "ScaleUp", holder: string) =>
    carryOutScaling(client, [{ type, workload: await onlyWorkload("eight"), holder }]);
  const pause = async (type: "Pause" | "Resume", holder: string) =>
    carryOutScaling(
      client,
      (await owners()).map((owner) => ({ type, owner, holder })),
    );
  for (const holder of ["a", "b"]) {
    await pause("Pause", holder);
    await scale("ScaleDown", holder);
  }
  expect(await told()).toMatchObject([
    [{ [PAUSED_FOR]: "a,b", [PAUSED_FROM]: "false" }, true],
    [{ "argocd.argoproj.io/skip-reconcile": "true", [PAUSED_FOR]: "a,b" }, undefined],
    [{ "kustomize.toolkit.fluxcd.io/reconcile": "disabled", [PAUSED_FOR]: "a,b" }, undefined],
  ]);
  await scale("ScaleUp", "a");
  await pause("Resume", "a");
  expect(await told()).toMatchObject([
    [{ [PAUSED_FOR]: "b" }, true],
    [{ [PAUSED_FOR]: "b" }, undefined],
    [{ [PAUSED_FOR]: "b" }, undefined],
  ]);
  await client.delete(Pods, { namespace, name: "eight-0" });
  await scale("ScaleUp", "b");
  await pause("Resume", "b");
  expect(await told()).toEqual(before);
});

test("a pod of its own, and one that has ended, are no workload's", async () => {
  await podOf("six", "six");
  const { users } = await observeUsers(client, { namespace, name: "six" });
  expect(users).toMatchObject([{ pod: { metadata: { name: "six" } } }]);
  expect(users[0]?.workload).toBeUndefined();
  await client.patch(
    Pods,
    { namespace, name: "six" },
    { type: "merge", patch: { status: { phase: "Failed" } } },
    { subresource: "status" },
  );
  expect((await observeUsers(client, { namespace, name: "six" })).users).toEqual([]);
});

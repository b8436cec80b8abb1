import { expect, test } from "vitest";
import { Applications, HelmReleases } from "../../../../src/core/workloads/gitops/gitops_kinds.ts";
import { Deployments, StatefulSets } from "../../../../src/kube/builtin.ts";
import type { KubeObject } from "../../../../src/kube/object.ts";
import { seededRandom } from "../../../../src/lib/random.ts";
import { AutorestoreWorld, type AutorestoreWorldOptions } from "./autorestore_world.ts";

const VOLUMES = ["data", "db-0", "db-1"];
const SKIP = "argocd.argoproj.io/skip-reconcile";

/** A Deployment of Argo CD and of a Kustomization, and a StatefulSet of a HelmRelease, applied with their lost PVCs. */
async function rebuilt(options: AutorestoreWorldOptions = {}): Promise<AutorestoreWorld> {
  const world = await new AutorestoreWorld(options).start();
  const { client } = world;
  for (const name of VOLUMES) world.keepSnapshot(name);
  await client.create(Applications, { metadata: { namespace: "argocd", name: "web" } });
  const release = { metadata: { namespace: "flux-system", name: "db" }, spec: { suspend: false } };
  await client.create(HelmReleases, release);
  for (const name of VOLUMES) await world.claim(name);
  await world.workload("Deployment", "web", {
    claims: ["data"],
    replicas: 3,
    labels: { "kustomize.toolkit.fluxcd.io/name": "apps" },
    annotations: { "argocd.argoproj.io/tracking-id": "web:apps/Deployment:home/web" },
  });
  await world.workload("StatefulSet", "db", {
    claims: ["db-0", "db-1"],
    replicas: 2,
    labels: { "helm.toolkit.fluxcd.io/name": "db", "helm.toolkit.fluxcd.io/namespace": "flux-system" },
  });
  return world;
}

interface Seen {
  readonly replicas?: number;
  readonly suspend?: boolean;
  readonly annotations: Readonly<Record<string, string>>;
}

async function seen(world: AutorestoreWorld): Promise<readonly Seen[]> {
  const objects = await Promise.all([
    world.client.get(Deployments, { namespace: "home", name: "web" }),
    world.client.get(StatefulSets, { namespace: "home", name: "db" }),
    world.client.get(Applications, { namespace: "argocd", name: "web" }),
    world.client.get(HelmReleases, { namespace: "flux-system", name: "db" }),
  ]);
  return (objects as readonly (KubeObject & { readonly spec?: Omit<Seen, "annotations"> })[]).map(
    ({ metadata, spec = {} }) => ({
      ...(spec.replicas === undefined ? {} : { replicas: spec.replicas }),
      ...(spec.suspend === undefined ? {} : { suspend: spec.suspend }),
      annotations: metadata.annotations ?? {},
    }),
  );
}

const AS_APPLIED = [
  { replicas: 3, annotations: { "argocd.argoproj.io/tracking-id": "web:apps/Deployment:home/web" } },
  { replicas: 2, annotations: {} },
  { annotations: {} },
  { suspend: false, annotations: {} },
];

async function restoredOnce(
  world: AutorestoreWorld,
  phase: "Completed" | "Failed" = "Completed",
): Promise<void> {
  await world.until("every volume is restored, and nothing held", async () => {
    const restores = await world.restores;
    const over = restores.filter(({ metadata, status }) => status?.phase === phase && !metadata.finalizers);
    return over.length === VOLUMES.length && restores.length === VOLUMES.length;
  });
  expect(await seen(world)).toEqual(AS_APPLIED);
  expect([...world.clashes], "pods that ran while their volume was written").toEqual([]);
}

/** What the operator writes while it restores, by the number of the request. */
async function writesOf(options: AutorestoreWorldOptions): Promise<readonly number[]> {
  await using world = await rebuilt(options);
  await world.until("the workloads are held", async () => {
    const [web, db, application, release] = await seen(world);
    const held = web?.replicas === 0 && db?.replicas === 0;
    return held && release?.suspend === true && application?.annotations[SKIP] === "true";
  });
  await restoredOnce(world, options.restoreFates ? "Failed" : "Completed");
  const writes = [...world.writes].filter(([, write]) => !/\/events|leases/.test(write));
  expect(writes.length).toBeGreaterThan(40);
  return writes.map(([number]) => number);
}

const LONG = process.env.HOLDFAST_LONG !== undefined;
const SOME = 4;
const FAILURES = Array(20).fill({ type: "fails", class: "Corrupt" } as const);

test.each<[string, AutorestoreWorldOptions]>([
  ["succeed", {}],
  ["fail", { restoreFates: FAILURES }],
])(
  "wherever the operator dies, workloads and GitOps come back as they were: restores that %s",
  {
    timeout: LONG ? 1_800_000 : 600_000,
  },
  async (_, options) => {
    const all = (await writesOf(options)).flatMap((request) => [
      { request, carriedOut: false },
      { request, carriedOut: true },
    ]);
    const seed = Number(process.env.HOLDFAST_SEED ?? 1);
    const random = seededRandom(Number.isSafeInteger(seed) ? seed : 1);
    const chosen = LONG
      ? all
      : Array.from({ length: SOME }, () => all[Math.floor(random.next() * all.length)] ?? all[0]);
    for (const death of chosen) {
      await using world = await rebuilt({ ...options, deaths: death ? [death] : [] });
      await restoredOnce(world, options.restoreFates ? "Failed" : "Completed");
    }
  },
);

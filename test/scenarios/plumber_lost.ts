import { mkdtempSync } from "node:fs";
import { rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { expect, test } from "vitest";
import { kopiur } from "../../src/apis/kopiur/api.ts";
import { plumber } from "../../src/apis/plumber/api.ts";
import { type FoundEntry, type TreeEntry, treeDifferences } from "../../src/engines/testing/tree.ts";
import { ANNOTATIONS as NATIVE } from "../../src/kinds/kopiur/annotations.ts";
import { backupResource } from "../../src/kinds/kopiur/generated/backup.ts";
import { clusterRepositoryResource } from "../../src/kinds/kopiur/generated/cluster_repository.ts";
import { ANNOTATIONS, LABELS, TRUTH } from "../../src/kinds/plumber/words.ts";
import { ApiError, isAlreadyExists } from "../../src/kube/api_error.ts";
import { ConfigMaps, Namespaces, PersistentVolumeClaims, Secrets } from "../../src/kube/builtin.ts";
import type { Draft, KubeObject } from "../../src/kube/object.ts";
import type { Resource } from "../../src/kube/resource.ts";
import { sleep, systemClock } from "../../src/lib/clock.ts";
import { systemRandom } from "../../src/lib/random.ts";
import { startS3 } from "../engines/servers.ts";
import { Moments } from "./faults_moments.ts";
import { HOUSEHOLD } from "./household.ts";
import type { OpenWorld, ScenarioWorld } from "./world.ts";

/** A cluster may be there for other tests, too. */
const MARK = systemRandom.hex(3);
const NAMESPACES = Array.from({ length: 12 }, (_, i) => `home-${i}-${MARK}`);
const PROBE = `probe-${MARK}`;
const CLAIM = "data";
const REPOSITORY = `all-${MARK}`;
const SECRET = `repository-${MARK}`;
const PATIENCE = 600_000;

interface Manifest {
  readonly resource: Resource;
  readonly draft: Draft<KubeObject>;
}

const SETTINGS = {
  mode: "strict",
  repository: { kind: "ClusterRepository", name: REPOSITORY },
  copyMethod: "Direct",
  minBackupAge: "0s",
  refreshInterval: "2s",
};

/** Twelve namespaces are lost with their cluster, and come back from their manifests and the repository, in any order. */
export function plumberLostCluster(open: OpenWorld): void {
  const moments = new Moments(24);
  test(
    "twelve lost namespaces come back in strict mode, whatever is applied first",
    { timeout: 1_500_000 },
    () =>
      moments.seeded("rebuilt in a random order", async () => {
        await using stack = new AsyncDisposableStack();
        const folder = mkdtempSync(join(tmpdir(), "plumber-lost-"));
        stack.defer(() => rm(folder, { recursive: true, force: true }));
        const password = systemRandom.hex(16);
        const enter = async () => {
          const apis = [kopiur, plumber];
          const world = await open({ lending: true, apis, guards: [plumber], ofApis: { plumber: SETTINGS } });
          stack.use(world);
          await guarded(world);
          return world;
        };
        const before = await enter();
        const storage = await startS3(folder, before.hostAddress);
        stack.defer(() => storage.stop());
        const place = storage.at("plumber/");
        const manifests = (world: ScenarioWorld) =>
          shuffled([...infrastructure(world, place, password), ...applications(world)], moments);
        await applied(before, manifests(before));
        const wanted = new Map<string, readonly FoundEntry[]>();
        for (const namespace of NAMESPACES) {
          const claim = { namespace, name: CLAIM };
          await bound(before, namespace);
          expect(await contents(before, namespace)).toEqual([]);
          await before.put(claim, belongings(namespace));
          wanted.set(namespace, await before.describe(claim));
          const patch = { metadata: { annotations: { [ANNOTATIONS.trigger]: "first" } } };
          await before.client.patch(PersistentVolumeClaims, claim, { type: "merge", patch });
        }
        await backedUp(before);
        await lost(before);
        await before[Symbol.asyncDispose]();

        const after = await enter();
        await applied(after, manifests(after));
        for (const namespace of NAMESPACES) {
          const { spec } = await bound(after, namespace);
          expect(spec?.dataSourceRef?.name).toBe(`${CLAIM}-dst`);
          const found = await after.describe({ namespace, name: CLAIM });
          expect(treeDifferences(wanted.get(namespace) ?? [], found)).toEqual([]);
        }
        await lost(after);
      }),
  );
}

/** Everything but what is in the repository: where the cluster outlives its world, nothing of it is found again. */
async function lost({ client, home }: ScenarioWorld): Promise<void> {
  for (const name of [...NAMESPACES, PROBE]) await client.delete(Namespaces, { name });
  await eventually("the namespaces are gone", async () => {
    const { items } = await client.list(Namespaces);
    return !items.some(({ metadata }) => NAMESPACES.includes(metadata.name));
  });
  await client.delete(clusterRepositoryResource, { name: REPOSITORY });
  await eventually("the repository's object is gone", async () => {
    const { items } = await client.list(clusterRepositoryResource);
    return !items.some(({ metadata }) => metadata.name === REPOSITORY);
  });
  await client.delete(Secrets, { namespace: home, name: SECRET });
  const { items } = await client.list(ConfigMaps, { namespace: home, labelSelector: TRUTH.label });
  for (const { metadata } of items) await client.delete(ConfigMaps, metadata);
}

/** Applications come after the operator: what comes before nobody looks at. */
async function guarded({ client, home }: ScenarioWorld): Promise<void> {
  for (const name of [home, PROBE]) {
    const metadata = { name, labels: { [LABELS.managedNamespace]: "true" } };
    await client.create(Namespaces, { metadata }).catch((error: unknown) => {
      if (!isAlreadyExists(error)) throw error;
    });
  }
  await eventually("labelled PVCs are denied", async () => {
    const [, probe] = applicationOf(PROBE, {});
    const answer = await client
      .create(probe.resource, probe.draft, { dryRun: true })
      .catch((error: unknown) => error);
    return answer instanceof ApiError && /BackupStateUnknown/.test(answer.message);
  });
}

/** As GitOps does it: what is refused is applied again, until nothing is. */
async function applied({ client }: ScenarioWorld, manifests: readonly Manifest[]): Promise<void> {
  let left = manifests;
  await eventually("everything is applied", async () => {
    const refused: Manifest[] = [];
    for (const manifest of left) {
      const error = await client
        .create(manifest.resource, manifest.draft)
        .then(() => undefined)
        .catch((reason: unknown) => reason);
      if (error === undefined || isAlreadyExists(error)) continue;
      if (!(error instanceof ApiError)) throw error;
      refused.push(manifest);
    }
    left = refused;
    return left.length === 0;
  });
}

async function bound({ client }: ScenarioWorld, namespace: string) {
  const get = () => client.get(PersistentVolumeClaims, { namespace, name: CLAIM });
  await eventually(`the PVC of ${namespace} is bound`, async () => (await get()).status?.phase === "Bound");
  return get();
}

/** Every PVC has a backup, and the operator knows of it. */
async function backedUp({ client, home }: ScenarioWorld): Promise<void> {
  await eventually("every backup is known", async () => {
    const { items: backups } = await client.list(backupResource);
    const failed = backups.find(({ status }) => status?.phase === "Failed");
    if (failed) throw new Error(JSON.stringify(failed.status));
    const { items } = await client.list(ConfigMaps, { namespace: home, labelSelector: TRUTH.label });
    const entries = items.map(({ data }) => data?.entries ?? "").join("\n");
    return NAMESPACES.every((namespace) => entries.includes(`${namespace}/${CLAIM} `));
  });
}

async function contents(world: ScenarioWorld, namespace: string): Promise<readonly FoundEntry[]> {
  return (await world.describe({ namespace, name: CLAIM })).filter(({ path }) => path !== "");
}

type Place = ReturnType<Awaited<ReturnType<typeof startS3>>["at"]>;

function infrastructure({ home }: ScenarioWorld, place: Place, password: string): readonly Manifest[] {
  const secret = { namespace: home, name: SECRET };
  if (!("s3" in place.backend)) throw new Error("the S3 server is none");
  const s3 = { ...place.backend.s3, auth: { secretRef: secret } };
  return [
    {
      resource: Secrets,
      draft: {
        metadata: secret,
        stringData: { KOPIA_PASSWORD: password, ...place.credentials },
      } as Draft<KubeObject>,
    },
    {
      resource: clusterRepositoryResource,
      draft: {
        metadata: { name: REPOSITORY },
        spec: {
          engine: "kopia",
          backend: { s3 },
          encryption: { passwordSecretRef: secret },
          create: { enabled: true },
          allowedNamespaces: { selector: { matchLabels: { [LABELS.managedNamespace]: "true" } } },
        },
      } as Draft<KubeObject>,
    },
  ];
}

function applications({ storageClassName }: ScenarioWorld): readonly Manifest[] {
  const storage = storageClassName ? { storageClassName } : {};
  return NAMESPACES.flatMap((namespace) => applicationOf(namespace, storage));
}

function applicationOf(namespace: string, storage: object): readonly [Manifest, Manifest] {
  const home = {
    name: namespace,
    labels: { [LABELS.managedNamespace]: "true" },
    annotations: { [NATIVE.allowPrivilegedMovers]: "true" },
  };
  const metadata = {
    namespace,
    name: CLAIM,
    labels: { [LABELS.enabled]: "true", [LABELS.manage]: "true", [LABELS.tier]: "hourly" },
    annotations: { [ANNOTATIONS.uid]: "0" },
  };
  const spec = { accessModes: ["ReadWriteOnce"], resources: { requests: { storage: "100Mi" } }, ...storage };
  return [
    { resource: Namespaces, draft: { metadata: home } },
    { resource: PersistentVolumeClaims, draft: { metadata, spec } as Draft<KubeObject> },
  ];
}

/** No two volumes hold the same. */
function belongings(key: string): readonly TreeEntry[] {
  const seed = NAMESPACES.indexOf(key) + 1;
  return [
    ...HOUSEHOLD,
    { path: "whose", file: { text: key } },
    { path: "own.raw", file: { random: { bytes: 50_000, seed } } },
  ];
}

function shuffled<T>(values: readonly T[], moments: Moments): readonly T[] {
  const left = [...values];
  return values.flatMap(() => left.splice(moments.below(left.length), 1));
}

async function eventually(what: string, look: () => Promise<boolean>): Promise<void> {
  const end = systemClock.monotonic() + PATIENCE;
  while (!(await look())) {
    if (systemClock.monotonic() > end) throw new Error(`waited in vain: ${what}`);
    await sleep(systemClock, 250);
  }
}

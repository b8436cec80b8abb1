import { expect, test } from "vitest";
import type { Api } from "../core/api.ts";
import { VolumePopulators } from "../core/volumes/populator/register_populator.ts";
import { HELD } from "../core/volumes/staging/staged_marks.ts";
import { ControlPlane } from "../embedded/control_plane.ts";
import { MemoryStore } from "../embedded/store/memory_store.ts";
import { ANNOTATIONS } from "../kinds/kopiur/annotations.ts";
import { kopiurCrds as crds } from "../kinds/kopiur/crds.ts";
import { SNAPSHOT_CLEANUP } from "../kinds/kopiur/finalizers.ts";
import { backupResource } from "../kinds/kopiur/generated/backup.ts";
import {
  CustomResourceDefinitions,
  Leases,
  PersistentVolumeClaims,
  ValidatingWebhookConfigurations,
} from "../kube/builtin.ts";
import { HttpClient } from "../kube/client/http_client.ts";
import { LeaderElector } from "../kube/controller/leader.ts";
import { grantedRules } from "../kube/policy_rules.ts";
import { resourceName } from "../kube/resource.ts";
import { LimitedSender } from "../kube/testing/limited_sender.ts";
import type { Release } from "../kube/write/remove_crds.ts";
import { systemClock as clock } from "../lib/clock.ts";
import type { HttpRequest, HttpSender } from "../lib/http.ts";
import { seededRandom } from "../lib/random.ts";
import { type Logger, silentLogger as log } from "../observe/log.ts";
import { APIS } from "./apis.ts";
import { cleanUp } from "./cleanup.ts";
import { cleanupRules } from "./cleanup_rights.ts";
import { type AdoptSettings, LEASE } from "./operator_settings.ts";

const random = seededRandom(1);
const namespace = "default";
const WEBHOOKS = "holdfast-kopiur";
const INSTALL = {
  scope: "cluster",
  namespace,
  clusterReads: false,
  lending: false,
  pausingGitOps: false,
  webhooks: true,
  ownCertificates: true,
  ownAccounts: true,
  volsync: false,
  adopting: true,
  removingCrds: true,
} as const;

const RESTORES = "restores.kopiur.home-operations.com";

interface Ground {
  /** Registrations of kinds that volumes are filled from, by name. */
  readonly owners?: Readonly<Record<string, string>>;
  /** The APIs that were served at the end. */
  readonly apis?: readonly Api[];
  /** The namespace of the Service that the webhooks lead to. */
  readonly served?: string;
  /** Sees each request of the Job's before it is sent. */
  readonly before?: (request: HttpRequest, client: HttpClient) => Promise<void> | void;
}

async function ground({ owners = {}, apis = APIS, served = namespace, before }: Ground = {}) {
  const plane = new ControlPlane({ store: new MemoryStore({ clock }), crds, clock, random, log });
  const client = new HttpClient({ sender: plane.sender, clock, random });
  const stop = new AbortController();
  void plane.run(stop.signal);
  const meta = (name: string, ...finalizers: string[]) => ({ namespace, name, finalizers });
  await client.create(backupResource, {
    metadata: meta("b", SNAPSHOT_CLEANUP, "example.org/other"),
    spec: {},
  });
  await client.create(PersistentVolumeClaims, {
    metadata: meta("copy", HELD),
    spec: { accessModes: ["ReadWriteOnce"], resources: { requests: { storage: "1Gi" } } },
  });
  const guard = {
    name: "guard.example.org",
    admissionReviewVersions: ["v1"],
    sideEffects: "None",
    clientConfig: { service: { namespace: served, name: "holdfast-webhook" } },
  };
  await client.create(ValidatingWebhookConfigurations, { metadata: { name: WEBHOOKS }, webhooks: [guard] });
  for (const [name, owner] of Object.entries(owners)) {
    await client.create(VolumePopulators, {
      metadata: { name, labels: { "app.kubernetes.io/managed-by": owner } },
      sourceKind: { group: "example.org", kind: "Other" },
    });
  }
  const rules = grantedRules(cleanupRules(apis), INSTALL);
  const limited = new LimitedSender(plane.sender, { rules, home: namespace });
  const sender: HttpSender = {
    send: async (request) => {
      await before?.(request, client);
      return limited.send(request);
    },
    close: () => {},
  };
  const limitedClient = new HttpClient({ sender, clock, random });
  const lease = { namespace, name: LEASE };
  const leader = new LeaderElector({
    client: limitedClient,
    clock,
    random,
    lease,
    identity: "last",
    retryPeriod: 50,
  });
  const { signal } = new AbortController();
  const go = (adopt?: AdoptSettings, crdsOf?: Release, told: Logger = log) =>
    cleanUp({
      client: limitedClient,
      clock,
      log: told,
      leader,
      served: apis,
      operatorNamespace: namespace,
      adopt,
      crdsOf,
      signal,
    });
  return { client, go, limited, stop };
}

test("cleanUp() takes off our finalizers and the webhooks, with rights of its own, and deletes no object", async () => {
  const { client, go, limited, stop } = await ground();
  await go();
  const backup = await client.get(backupResource, { namespace, name: "b" });
  expect(backup.metadata.finalizers).toEqual(["example.org/other"]);
  const claim = await client.get(PersistentVolumeClaims, { namespace, name: "copy" });
  expect(claim.metadata.finalizers ?? []).not.toContain(HELD);
  expect((await client.list(ValidatingWebhookConfigurations)).items).toEqual([]);
  expect([...limited.refused]).toEqual([]);
  stop.abort();
});

test("cleanUp() leaves finalizers to another controller that works on the same objects, where CRDs are adopted", async () => {
  const { client, go, stop } = await ground();
  const name = { namespace, name: "b" };
  const patch = { type: "merge", patch: { status: { phase: "Running" } } } as const;
  const written = await client.patch(backupResource, name, patch, {
    subresource: "status",
    fieldManager: "other-controller",
  });
  const { time = "" } =
    written.metadata.managedFields?.find(({ manager }) => manager === "other-controller") ?? {};
  const finalizers = async () => (await client.get(backupResource, name)).metadata.finalizers;
  await go({});
  expect(await finalizers()).toContain(SNAPSHOT_CLEANUP);
  const claim = await client.get(PersistentVolumeClaims, { namespace, name: "copy" });
  expect(claim.metadata.finalizers ?? []).not.toContain(HELD);
  await go({ previousControllerStoppedAt: Date.parse(time) });
  expect(await finalizers()).not.toContain(SNAPSHOT_CLEANUP);
  stop.abort();
});

test("cleanUp() takes the registration of Restores back, and nobody else's", async () => {
  const left = async (owners: Readonly<Record<string, string>>) => {
    const { client, go, limited, stop } = await ground({ owners });
    await go();
    expect([...limited.refused]).toEqual([]);
    const { items } = await client.list(VolumePopulators);
    stop.abort();
    return items.map(({ metadata }) => metadata.name);
  };
  expect(await left({ [RESTORES]: "holdfast", "others.example.org": "holdfast" })).toEqual([
    "others.example.org",
  ]);
  expect(await left({ [RESTORES]: "somebody" })).toEqual([RESTORES]);
});

test("cleanUp() takes no more than its webhooks back of an API that was not served at the end", async () => {
  const { client, go, limited, stop } = await ground({ apis: [], owners: { [RESTORES]: "holdfast" } });
  await own(client, () => RELEASE.name);
  const before = await crdsLeft(client);
  await go(undefined, RELEASE);
  expect((await client.list(ValidatingWebhookConfigurations)).items).toEqual([]);
  const backup = await client.get(backupResource, { namespace, name: "b" });
  expect(backup.metadata.finalizers).toEqual([SNAPSHOT_CLEANUP, "example.org/other"]);
  expect((await client.list(VolumePopulators)).items).toHaveLength(1);
  expect(await crdsLeft(client)).toEqual(before);
  expect([...limited.refused]).toEqual([]);
  stop.abort();
});

test("cleanUp() leaves another operator the webhooks that lead to its Service, where it did not serve the API itself", async () => {
  const { client, go, stop } = await ground({ apis: [], served: "elsewhere" });
  await go();
  expect((await client.list(ValidatingWebhookConfigurations)).items).toHaveLength(1);
  stop.abort();
});

const RELEASE = { namespace, name: "holdfast" };

/** Gives the CRDs to a release of Helm's, but for some. */
async function own(client: HttpClient, owner: (crd: string) => string | undefined): Promise<void> {
  for (const { metadata } of crds) {
    const name = owner(metadata.name);
    if (name === undefined) continue;
    const annotations = { "meta.helm.sh/release-name": name, "meta.helm.sh/release-namespace": namespace };
    await client.patch(CustomResourceDefinitions, metadata, {
      type: "merge",
      patch: { metadata: { annotations } },
    });
  }
}

async function crdsLeft(client: HttpClient): Promise<readonly string[]> {
  const { items } = await client.list(CustomResourceDefinitions);
  return items.map(({ metadata }) => metadata.name).filter((name) => name.includes("kopiur"));
}

const ours = (client: HttpClient) =>
  client.patch(
    backupResource,
    { namespace, name: "b" },
    { type: "merge", patch: { metadata: { finalizers: [SNAPSHOT_CLEANUP] } } },
  );

test("cleanUp() removes the CRDs of a release with their objects, if asked to, and names whose the others are", async () => {
  const { client, go, limited, stop } = await ground();
  const maintenances = "maintenances.kopiur.home-operations.com";
  await own(client, (crd) =>
    crd === RESTORES ? undefined : crd === maintenances ? "another" : RELEASE.name,
  );
  await ours(client);
  const warned: unknown[] = [];
  await go({}, RELEASE, { ...log, warn: (fields) => warned.push(fields) });
  expect((await crdsLeft(client)).toSorted()).toEqual([maintenances, RESTORES]);
  expect(warned).toEqual([
    {
      release: RELEASE,
      staying: [`${RESTORES} of no release of Helm's`, `${maintenances} of the release default/another`],
    },
  ]);
  expect(await client.serves(backupResource)).toBe(false);
  expect([...limited.refused]).toEqual([]);
  stop.abort();
});

test("an operator of another release sees no Backup go with its CRD that does not say that its snapshots stay", async () => {
  const { client, go, stop } = await ground();
  await own(client, () => RELEASE.name);
  await ours(client);
  const seen: unknown[] = [];
  const looking = (async () => {
    for await (const event of client.metadata.watch(backupResource, { signal: stop.signal })) {
      if (event.type === "DELETED") seen.push(event.object.metadata.annotations);
    }
  })().catch(() => {});
  await go(undefined, RELEASE);
  await expect.poll(() => seen, { timeout: 10_000 }).toEqual([{ [ANNOTATIONS.skipSnapshotCleanup]: "true" }]);
  stop.abort();
  await looking;
});

test("a Backup that is made while others are told that their snapshots stay is told so as well, and their CRD goes first", async () => {
  const gone: string[] = [];
  let late = false;
  const { client, go, stop } = await ground({
    before: async ({ method, path, body = "" }, client) => {
      if (method === "DELETE" && path.includes("customresourcedefinitions")) gone.push(path);
      if (late || method !== "PATCH" || !String(body).includes(ANNOTATIONS.skipSnapshotCleanup)) return;
      late = true;
      await client.create(backupResource, { metadata: { namespace, name: "late" }, spec: {} });
    },
  });
  await own(client, () => RELEASE.name);
  await ours(client);
  const seen: Record<string, unknown> = {};
  const looking = (async () => {
    for await (const event of client.metadata.watch(backupResource, { signal: stop.signal })) {
      if (event.type === "DELETED") seen[event.object.metadata.name] = event.object.metadata.annotations;
    }
  })().catch(() => {});
  await go(undefined, RELEASE);
  const told = { [ANNOTATIONS.skipSnapshotCleanup]: "true" };
  await expect.poll(() => seen, { timeout: 10_000 }).toEqual({ b: told, late: told });
  expect(gone).toHaveLength(crds.length);
  expect(gone[0]).toContain(`/${resourceName(backupResource)}`);
  stop.abort();
  await looking;
});

test("cleanUp() leaves the Backups of a CRD that stays as they are", async () => {
  const { client, go, stop } = await ground();
  await own(client, (crd) => (crd === resourceName(backupResource) ? "another" : RELEASE.name));
  await go(undefined, RELEASE);
  const { metadata } = await client.get(backupResource, { namespace, name: "b" });
  expect(metadata.annotations ?? {}).toEqual({});
  stop.abort();
});

test("cleanUp() leaves the CRDs where another controller works on some object, and names it", async () => {
  const { client, go, limited, stop } = await ground();
  await own(client, () => RELEASE.name);
  const name = { namespace, name: "b" };
  const patch = { type: "merge", patch: { status: { phase: "Running" } } } as const;
  const options = { subresource: "status", fieldManager: "other-controller" };
  await client.patch(backupResource, name, patch, options);
  const before = await crdsLeft(client);
  await expect(go({}, RELEASE)).rejects.toThrow(
    `the CRDs stay, with their objects: other-controller wrote the status of ${resourceName(backupResource)} ${namespace}/b`,
  );
  expect(await crdsLeft(client)).toEqual(before);
  const { metadata } = await client.get(backupResource, name);
  expect([metadata.finalizers, metadata.annotations]).toEqual([
    [SNAPSHOT_CLEANUP, "example.org/other"],
    undefined,
  ]);
  expect([...limited.refused]).toEqual([]);
  stop.abort();
});

test("cleanUp() waits until the operator no longer leads", async () => {
  const { client, go, stop } = await ground();
  const name = { namespace, name: LEASE };
  const held = { holderIdentity: "operator", leaseDurationSeconds: 3600 };
  const lease = await client.create(Leases, { metadata: name, spec: held });
  let gone = false;
  const going = go().then(() => {
    gone = true;
  });
  await expect.poll(() => client.get(Leases, name).then(({ spec }) => spec?.holderIdentity)).toBe("operator");
  expect(gone).toBe(false);
  expect((await client.get(backupResource, { namespace, name: "b" })).metadata.finalizers).toContain(
    SNAPSHOT_CLEANUP,
  );
  await client.update(Leases, { ...lease, spec: { ...held, holderIdentity: "" } });
  await going;
  expect((await client.get(backupResource, { namespace, name: "b" })).metadata.finalizers).not.toContain(
    SNAPSHOT_CLEANUP,
  );
  stop.abort();
});

import { expect, test } from "vitest";
import { VolumePopulators } from "../apis/kopiur/restore/populate/register_populator.ts";
import { HELD } from "../core/volumes/staging/staged_marks.ts";
import { ControlPlane } from "../embedded/control_plane.ts";
import { MemoryStore } from "../embedded/store/memory_store.ts";
import { kopiurCrds as crds } from "../kinds/kopiur/crds.ts";
import { SNAPSHOT_CLEANUP } from "../kinds/kopiur/finalizers.ts";
import { backupResource } from "../kinds/kopiur/generated/backup.ts";
import { Leases, PersistentVolumeClaims, ValidatingWebhookConfigurations } from "../kube/builtin.ts";
import { HttpClient } from "../kube/client/http_client.ts";
import { LeaderElector } from "../kube/controller/leader.ts";
import { conditionalRules, grantedRules } from "../kube/policy_rules.ts";
import { LimitedSender } from "../kube/testing/limited_sender.ts";
import { systemClock as clock } from "../lib/clock.ts";
import { seededRandom } from "../lib/random.ts";
import { silentLogger as log } from "../observe/log.ts";
import { letGo } from "./let_go.ts";
import { LET_GO_RIGHTS } from "./let_go_rights.ts";
import { LEASE } from "./operator_settings.ts";

const random = seededRandom(1);
const namespace = "default";
const WEBHOOKS = "holdfast-kopiur";
const INSTALL = {
  scope: "cluster",
  namespace,
  clusterReads: false,
  lending: false,
  webhooks: true,
  ownCertificates: true,
  ownAccounts: true,
} as const;

const RESTORES = "restores.kopiur.home-operations.com";

/** `owners`: registrations of kinds that volumes are filled from, by name. */
async function ground(owners: Readonly<Record<string, string>> = {}) {
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
  await client.create(ValidatingWebhookConfigurations, { metadata: { name: WEBHOOKS }, webhooks: [] });
  for (const [name, owner] of Object.entries(owners)) {
    await client.create(VolumePopulators, {
      metadata: { name, labels: { "app.kubernetes.io/managed-by": owner } },
      sourceKind: { group: "example.org", kind: "Other" },
    });
  }
  const rules = grantedRules(conditionalRules(LET_GO_RIGHTS), INSTALL);
  const limited = new LimitedSender(plane.sender, { rules, home: namespace });
  const limitedClient = new HttpClient({ sender: limited, clock, random });
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
  const go = () => letGo({ client: limitedClient, clock, log, leader, webhooks: WEBHOOKS, signal });
  return { client, go, limited, stop };
}

test("letGo() takes off our finalizers and the webhooks, with rights of its own, and deletes no object", async () => {
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

test("letGo() takes the registration of Restores back, and nobody else's", async () => {
  const left = async (owners: Readonly<Record<string, string>>) => {
    const { client, go, limited, stop } = await ground(owners);
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

test("letGo() waits until the operator no longer leads", async () => {
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

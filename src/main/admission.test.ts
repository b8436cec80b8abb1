import { X509Certificate } from "node:crypto";
import { mkdir, mkdtemp, rename, rm, symlink, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { connect } from "node:tls";
import { afterEach, beforeEach, expect, test } from "vitest";
import { kopiur } from "../apis/kopiur/api.ts";
import { KOPIUR_RIGHTS } from "../apis/kopiur/kopiur_rights.ts";
import { ControlPlane } from "../embedded/control_plane.ts";
import { MemoryStore } from "../embedded/store/memory_store.ts";
import { kopiurCrds as crds } from "../kinds/kopiur/crds.ts";
import { type BackupConfig, backupConfigResource } from "../kinds/kopiur/generated/backup_config.ts";
import { findConfigurations, writeCaBundle } from "../kube/admission/ca_bundle.ts";
import { removeWebhooks } from "../kube/admission/webhook_configuration.ts";
import { Namespaces, Secrets } from "../kube/builtin.ts";
import { Informers } from "../kube/cache/informers.ts";
import { createAuthority, issueServerCertificate } from "../kube/certificates/certificates.ts";
import { HttpClient } from "../kube/client/http_client.ts";
import { unusedRights } from "../kube/client/unused_rights.ts";
import { whoAmI } from "../kube/client/who_am_i.ts";
import { LeaderElector } from "../kube/controller/leader.ts";
import type { Draft } from "../kube/object.ts";
import { conditionalRules, grantedRules } from "../kube/policy_rules.ts";
import { LimitedSender } from "../kube/testing/limited_sender.ts";
import { systemClock as clock } from "../lib/clock.ts";
import { HttpsSender } from "../lib/https_sender.ts";
import { seededRandom } from "../lib/random.ts";
import { silentLogger as log } from "../observe/log.ts";
import { noWatchObserver } from "../observe/observers.ts";
import { type Admission, type AdmissionOptions, admission } from "./admission.ts";
import { OPERATOR_RIGHTS } from "./operator_rights.ts";
import { LEASE } from "./operator_settings.ts";

/* The webhooks with certificates that somebody else makes, as a kubelet mounts them, against an API server over TLS. */

const random = seededRandom(7);
const HOME = "holdfast";
const HOUR = 3_600_000;
const NAMES = { dns: [], ip: ["127.0.0.1"] };
const ANNOTATION = { "cert-manager.io/inject-ca-from": "holdfast/webhook" };
const fromNow = (from: number, to: number) => ({ notBefore: clock.now() + from, notAfter: clock.now() + to });
const newAuthority = () => createAuthority({ name: "ca", validity: fromNow(-HOUR, HOUR), random });
const newLeaf = (authority = newAuthority(), validity = fromNow(-HOUR, HOUR)) => ({
  ...issueServerCertificate({ authority, names: NAMES, validity, random }),
  ca: authority.cert,
});

let folder: string;
let plane: ControlPlane;
let client: HttpClient;
let stack: AsyncDisposableStack;
let versions = 0;

beforeEach(async () => {
  stack = new AsyncDisposableStack();
  folder = await mkdtemp(join(tmpdir(), "door-"));
  stack.defer(() => rm(folder, { recursive: true }));
  const webhookSender = ({ url, ca }: { readonly url: string; readonly ca?: string }) =>
    new HttpsSender({ url, ...(ca ? { tls: { ca } } : {}) });
  plane = new ControlPlane({ store: new MemoryStore({ clock }), crds, clock, random, log, webhookSender });
  stack.defer(() => plane.sender.close());
  client = new HttpClient({ sender: plane.sender, clock, random });
});
afterEach(() => stack.disposeAsync());

/** Exchanges all files at once, by a link, as a kubelet does. */
async function mount({ cert, key, ca }: ReturnType<typeof newLeaf>): Promise<void> {
  const version = `..v${versions++}`;
  await mkdir(join(folder, version));
  for (const [name, text] of [
    ["tls.crt", cert],
    ["tls.key", key],
    ["ca.crt", ca],
  ] as const) {
    await writeFile(join(folder, version, name), text);
    await symlink(join("..data", name), join(folder, name)).catch(() => {});
  }
  await symlink(version, join(folder, "..data.new"));
  await rename(join(folder, "..data.new"), join(folder, "..data"));
}

async function open(more: Partial<AdmissionOptions>) {
  const listening = Promise.withResolvers<number>();
  const door = admission({
    apis: [kopiur],
    client,
    clock,
    random,
    log,
    informers: new Informers({ client, clock, random, log, observer: noWatchObserver }),
    settings: { moverImage: "mover" },
    operatorNamespace: HOME,
    operator: async () => "operator",
    host: "127.0.0.1",
    port: 0,
    reach: (port) => {
      listening.resolve(port);
      return { url: `https://127.0.0.1:${port}` };
    },
    names: NAMES,
    certificateFolder: folder,
    linger: 0,
    poll: 10,
    ...more,
  });
  const stop = new AbortController();
  const ready = Promise.withResolvers<void>();
  const running = door.run(stop.signal, ready.resolve, stop.signal);
  const close = async () => {
    stop.abort(new Error("the test is over"));
    await running;
  };
  stack.defer(close);
  await Promise.race([ready.promise, running]);
  return { door, port: await listening.promise, close };
}

/** What the API server says to a recipe that never could work. */
function refusal(more: object = {}): Promise<string> {
  const sources = [{ pvc: { name: "b" } }, { pvc: { name: "b" } }];
  const spec = { repository: { name: "a" }, sources, ...more };
  const draft = { metadata: { namespace: "default", generateName: "c-" }, spec };
  return client.create(backupConfigResource, draft as unknown as Draft<BackupConfig>).then(
    () => "taken",
    (error: Error) => error.message,
  );
}

const served = (port: number) =>
  new Promise<string>((resolve, reject) => {
    const socket = connect({ host: "127.0.0.1", port, rejectUnauthorized: false }, () => {
      resolve(socket.getPeerX509Certificate()?.serialNumber ?? "");
      socket.destroy();
    }).on("error", reject);
  });

const serves = (door: Admission, port: number, leaf: { readonly cert: string }) =>
  expect
    .poll(() => served(port), { timeout: 20_000 })
    .toBe(new X509Certificate(leaf.cert).serialNumber)
    .then(() => door.problem);

test("a certificate by hand guards writes, is exchanged while it serves, and is told of once it has expired", async () => {
  const authority = newAuthority();
  await mount(newLeaf(authority));
  const { door, port } = await open({ authority: authority.cert });
  expect(door).toMatchObject({ opened: true, problem: undefined });
  expect(await refusal()).toMatch(/admission webhook .* denied the request/);

  const second = newLeaf(authority);
  await mount(second);
  expect(await serves(door, port, second)).toBeUndefined();
  expect(await refusal()).toMatch(/admission webhook .* denied the request/);

  const expired = newLeaf(authority, fromNow(-HOUR, -60_000));
  await mount(expired);
  expect(await serves(door, port, expired)).toMatch(/the webhooks' certificate expired at/);

  const strange = newLeaf();
  await mount(strange);
  expect(await serves(door, port, strange)).toMatch(/set webhook.caBundle to its authority/);
});

test("configurations that somebody deletes are put back", async () => {
  const authority = newAuthority();
  await mount(newLeaf(authority));
  const { door } = await open({ authority: authority.cert });
  await removeWebhooks(client, "holdfast-kopiur");
  await expect.poll(() => findConfigurations(client, "holdfast-kopiur"), { timeout: 20_000 }).toHaveLength(2);
  await expect.poll(() => door, { timeout: 20_000 }).toMatchObject({ opened: true, problem: undefined });
  expect(await refusal()).toMatch(/admission webhook .* denied the request/);
});

test("cert-manager tells the API server whom to trust, and a restart does not take that back", async () => {
  const first = newLeaf();
  await mount(first);
  const before = await open({ annotations: ANNOTATION });
  const found = await findConfigurations(client, "holdfast-kopiur");
  expect(found.map(({ configuration }) => configuration.metadata.annotations)).toEqual([
    ANNOTATION,
    ANNOTATION,
  ]);
  await writeCaBundle(client, found, first.ca);
  expect(await refusal()).toMatch(/admission webhook .* denied the request/);
  await before.close();

  await open({ annotations: ANNOTATION });
  expect(await refusal()).toMatch(/admission webhook .* denied the request/);
});

test("a new authority of cert-manager's is taken up with its certificate", async () => {
  await mount(newLeaf());
  const { door, port } = await open({ annotations: ANNOTATION });
  const next = newLeaf();
  await mount(next);
  expect(await serves(door, port, next)).toBeUndefined();
  await writeCaBundle(client, await findConfigurations(client, "holdfast-kopiur"), next.ca);
  expect(await refusal()).toMatch(/admission webhook .* denied the request/);
});

test("webhooks and leadership ask for what they have declared, all of it, and for no more", async () => {
  const served = OPERATOR_RIGHTS.filter(({ names = [] }) => !names.some((name) => name.includes("plumber")));
  const rights = [...served, ...KOPIUR_RIGHTS];
  const rules = grantedRules(conditionalRules(rights), {
    scope: "cluster",
    namespace: HOME,
    clusterReads: true,
    lending: false,
    pausingGitOps: false,
    webhooks: true,
    ownCertificates: true,
    ownAccounts: true,
    volsync: false,
    adopting: false,
    removingCrds: false,
  });
  const limited = new LimitedSender(plane.sender, { rules, home: HOME });
  const asOperator = new HttpClient({ sender: limited, clock, random });
  for (const name of [HOME, "elsewhere"]) await client.create(Namespaces, { metadata: { name } });
  const { close } = await open({ client: asOperator, certificateFolder: undefined });
  await refusal({ repository: { kind: "Repository", name: "a", namespace: "elsewhere" } });
  await close();
  // Certificates that are lost are made anew, and the API server is told.
  const secret = { namespace: HOME, name: "holdfast-webhooks" };
  await client.patch(Secrets, secret, { type: "merge", patch: { data: { "tls.crt": "" } } });
  await (await open({ client: asOperator, certificateFolder: undefined })).close();
  await whoAmI(asOperator);
  await removeWebhooks(asOperator, "holdfast-kopiur");
  const lease = { namespace: HOME, name: LEASE };
  const elector = new LeaderElector({
    client: asOperator,
    clock,
    random,
    lease,
    identity: "a",
    retryPeriod: 20,
  });
  const stop = new AbortController();
  const led = Promise.withResolvers<void>();
  const leading = elector.run(stop.signal, led.resolve);
  await led.promise;
  stop.abort(new Error("the test is over"));
  await leading;

  expect([...limited.refused]).toEqual([]);
  const own = /leases|webhookconfigurations|secrets|selfsubject|subjectaccess/;
  const declared = unusedRights(rights, new Set()).filter((text) => own.test(text));
  const unasked = unusedRights(rights, limited.used).filter((text) => own.test(text));
  expect(declared.length).toBeGreaterThan(12);
  expect(unasked).toEqual([]);
});

import { mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { setTimeout as pause } from "node:timers/promises";
import { afterAll, afterEach, beforeAll, beforeEach, expect, test } from "vitest";
import { ConfigMaps, Leases, Namespaces, Secrets, ServiceAccounts } from "../../src/kube/builtin.ts";
import { HttpClient } from "../../src/kube/client/http_client.ts";
import { connect } from "../../src/kube/config/connect.ts";
import type { KubeObject } from "../../src/kube/object.ts";
import type { Resource } from "../../src/kube/resource.ts";
import { systemClock as clock } from "../../src/lib/clock.ts";
import { systemProcesses as processes } from "../../src/lib/processes.ts";
import { type Random, seededRandom, systemRandom } from "../../src/lib/random.ts";
import { type ClusterInfo, compactEtcd, component, down, up } from "../../tools/cluster/cluster.ts";
import type { MirrorSettings } from "./mirror/program.ts";
import { overlaps, RunningMirror } from "./mirror/running_mirror.ts";
import { TcpProxy } from "./tcp_proxy.ts";
import { eventually } from "./world.ts";

/*
 * A sample controller, in processes of its own, on a real API server that is disturbed. After each fault the
 * caches equal the server's state, the mirror equals its source, and no key was reconciled twice at once.
 */

const seed = Number(process.env.HOLDFAST_SEED ?? Math.floor(Math.random() * 2 ** 31));
const name = `faults-${systemRandom.hex(3)}`;
const folder = mkdtempSync(join(tmpdir(), "holdfast-faults-"));
let cluster: ClusterInfo;
let client: HttpClient;
let proxy: TcpProxy;
let random: Random;
let source: string;
let target: string;
let mirrors: RunningMirror[];

beforeAll(async () => {
  cluster = await up({ name, shape: { kind: "control-plane", controllers: true } });
  const { sender } = await connect({ clock, processes, env: {}, kubeconfig: cluster.kubeconfig });
  client = new HttpClient({ sender, clock, random: systemRandom });
  const { hostname, port } = new URL(cluster.server);
  proxy = await TcpProxy.to(hostname, Number(port));
});

afterAll(async () => {
  proxy?.close();
  await down(name, { wipe: true });
  rmSync(folder, { recursive: true });
});

beforeEach(async () => {
  console.log(`seed ${seed}`);
  random = seededRandom(seed);
  const id = systemRandom.hex(3);
  [source, target] = [`source-${id}`, `target-${id}`];
  for (const namespace of [source, target])
    await client.create(Namespaces, { metadata: { name: namespace } });
  mirrors = [];
});

afterEach(async () => {
  for (const mirror of mirrors) await mirror.end();
});

/** A kubeconfig that leads through the proxy. */
function throughProxy(user: string): string {
  const path = join(folder, `kubeconfig-${systemRandom.hex(4)}`);
  const ca = readFileSync(cluster.ca).toString("base64");
  writeFileSync(
    path,
    `current-context: c
contexts: [{name: c, context: {cluster: c, user: u}}]
clusters: [{name: c, cluster: {server: "https://127.0.0.1:${proxy.port}", certificate-authority-data: ${ca}}}]
users: [{name: u, user: ${user}}]
`,
    { mode: 0o600 },
  );
  return path;
}

function adminUser(): string {
  const lines = readFileSync(cluster.kubeconfig, "utf8").split("\n");
  const field = (key: string) =>
    lines
      .find((line) => line.includes(`${key}:`))
      ?.split(":")[1]
      ?.trim();
  const [cert, certKey] = ["client-certificate-data", "client-key-data"].map(field);
  return `{client-certificate-data: ${cert}, client-key-data: ${certKey}}`;
}

function start(identity: string, overrides: Partial<MirrorSettings> = {}): RunningMirror {
  const mirror = new RunningMirror({
    kubeconfig: throughProxy(adminUser()),
    identity,
    source,
    target,
    work: 0,
    idleTimeout: 150_000,
    leaseDuration: 15_000,
    ...overrides,
  });
  mirrors.push(mirror);
  return mirror;
}

async function startLeading(identity: string, overrides?: Partial<MirrorSettings>): Promise<RunningMirror> {
  const mirror = start(identity, overrides);
  // It may have to wait until the lease of another is over.
  await eventually(`${identity} leads`, () => mirror.leading, 60);
  return mirror;
}

/** Creates, changes and deletes at random. */
async function churn(steps: number): Promise<void> {
  for (let i = 0; i < steps; i++) {
    const object = { metadata: { namespace: source, name: `item-${Math.floor(random.next() * 12)}` } };
    if (random.next() < 0.3) await client.delete(ConfigMaps, object.metadata);
    else
      await client.apply(
        ConfigMaps,
        { ...object, data: { v: random.hex(4) } },
        { fieldManager: "churn", force: true },
      );
  }
}

async function contents(namespace: string): Promise<Record<string, unknown>> {
  const { items } = await client.list(ConfigMaps, { namespace });
  const own = items.filter((o) => o.metadata.name !== "kube-root-ca.crt");
  return Object.fromEntries(own.map((o) => [o.metadata.name, o.data]).toSorted());
}

async function versions(namespace: string): Promise<Record<string, string>> {
  const { items } = await client.list(ConfigMaps, { namespace });
  return Object.fromEntries(items.map((o) => [o.metadata.name, o.metadata.resourceVersion]));
}

/** What must hold after every fault. */
async function expectSettled(alive: readonly RunningMirror[], seconds = 60): Promise<void> {
  const same = async () => JSON.stringify(await contents(source)) === JSON.stringify(await contents(target));
  await eventually("the mirror equals its source", same, seconds);
  for (const mirror of alive) {
    await eventually(`the caches of ${mirror.identity} equal the server's state`, async () => {
      const caches = await mirror.caches();
      const truth = { sources: await versions(source), targets: await versions(target) };
      return isSame(caches.sources, truth.sources) && isSame(caches.targets, truth.targets);
    });
  }
  expect(overlaps(mirrors)).toEqual([]);
}

function isSame(a: Record<string, string>, b: Record<string, string>): boolean {
  return JSON.stringify(Object.entries(a).toSorted()) === JSON.stringify(Object.entries(b).toSorted());
}

/** As the kubelet does: a replica that gave up is started again. */
async function restartIfEnded(
  mirror: RunningMirror,
  overrides?: Partial<MirrorSettings>,
): Promise<RunningMirror> {
  const ended = () => mirror.count("stopped") > 0;
  const renewed = async () =>
    (await client.get(Leases, { namespace: target, name: "mirror" })).spec?.renewTime;
  const before = await renewed();
  // It may have lost its lease, and not know that yet.
  await eventually(
    "it renews its lease, or has given up",
    async () => ended() || (await renewed()) !== before,
  );
  return ended() ? startLeading(`${mirror.identity}-again`, overrides) : mirror;
}

test("the API server is killed and started again in the middle of a watch", async () => {
  const mirror = await startLeading("a");
  await churn(20);
  for (let i = 0; i < 2; i++) {
    const changing = churn(30).catch(() => {}); // What does not reach the server did not happen.
    await pause(100);
    await component(cluster, "kube-apiserver").kill();
    await component(cluster, "kube-apiserver").start();
    await changing;
    await churn(10);
  }
  await expectSettled([await restartIfEnded(mirror)]);
});

test("the API server is paused for 30 s", async () => {
  const mirror = await startLeading("a");
  await churn(20);
  await component(cluster, "kube-apiserver").pause();
  try {
    await pause(30_000);
    await eventually("it has given up its lease", () => mirror.count("stopped") > 0);
  } finally {
    await component(cluster, "kube-apiserver").resume();
  }
  expect(mirror.lines.at(-1)).toMatchObject({ error: expect.stringContaining("lost the lease") });
  await churn(20);
  await expectSettled([await restartIfEnded(mirror)]);
});

test("etcd forgets the past while the controller is cut off (410)", async () => {
  const mirror = await startLeading("a", { leaseDuration: 120_000 });
  await churn(20);
  await expectSettled([mirror]);
  const relists = mirror.count("relisted");
  proxy.silent = true;
  proxy.cut();
  await churn(30);
  await compactEtcd(cluster);
  // The API server remembers recent events itself; a new one has only what etcd has.
  await component(cluster, "kube-apiserver").stop();
  await component(cluster, "kube-apiserver").start();
  await churn(10);
  await compactEtcd(cluster);
  proxy.silent = false;
  proxy.cut();
  await expectSettled([mirror]);
  const again = mirror.lines.filter((line) => line.event === "relisted").slice(relists);
  expect(again).toContainEqual({ event: "relisted", reason: "expired" });
});

test("connections go silent without being closed", async () => {
  const mirror = await startLeading("a", { idleTimeout: 4000, leaseDuration: 60_000 });
  await churn(20);
  await expectSettled([mirror]);
  proxy.silence();
  await churn(20);
  await expectSettled([mirror]);
  expect(mirror.count("stopped")).toBe(0);
});

test("the wall clock jumps by nine hours, there and back", async () => {
  const mirror = await startLeading("a");
  for (let i = 0; i < 4; i++) {
    mirror.signal("SIGUSR1");
    await churn(10);
    // At least two renewals at each time of day.
    await pause(4000);
  }
  await expectSettled([mirror]);
  expect(mirror.count("stopped")).toBe(0);
});

test("the leader sleeps for longer than its lease while another leads, and wakes up in a reconcile", async () => {
  const lease = { leaseDuration: 12_000 };
  const first = await startLeading("first", { ...lease, work: 5000 });
  const second = start("second", lease);
  const object = { metadata: { namespace: source, name: "contested" } };
  const write = (v: string) =>
    client.apply(ConfigMaps, { ...object, data: { v } }, { fieldManager: "test", force: true });
  await write("old");
  await eventually("the first is at work", () => first.count("begin") > first.count("end"));
  first.signal("SIGSTOP");
  await write("new");
  await eventually("the second leads", () => second.leading, 60);
  await eventually("the second has mirrored", async () =>
    isSameValue(await contents(target), { contested: { v: "new" } }),
  );
  const begun = first.count("begin");
  first.signal("SIGCONT");
  expect(await first.exited).toBe(1);
  expect(first.lines.at(-1)).toMatchObject({
    event: "stopped",
    error: expect.stringContaining("lost the lease"),
  });
  expect(first.count("begin")).toBe(begun);
  const { items } = await client.list(ConfigMaps, {
    namespace: target,
    fieldSelector: "metadata.name=contested",
  });
  expect(items[0]?.data).toEqual({ v: "new" });
  expect(items[0]?.metadata.managedFields?.map((entry) => entry.manager)).toEqual(["second"]);
  // What the sleeper began before it slept did nothing afterwards: it does not count as running.
  mirrors = mirrors.filter((mirror) => mirror !== first);
  await churn(10);
  await expectSettled([second]);
});

test("SIGTERM comes in the middle of a reconcile", async () => {
  const first = await startLeading("first", { work: 1500 });
  const second = start("second", { work: 100 });
  await churn(5);
  await eventually("the first is at work", () => first.count("begin") > first.count("end"));
  first.signal("SIGTERM");
  const asked = performance.now();
  expect(await first.exited).toBe(0);
  expect(first.count("begin")).toBe(first.count("end"));
  await eventually("the second leads", () => second.leading, 10);
  expect(performance.now() - asked).toBeLessThan(10_000); // Far less than the lease of 15 s and its expiry.
  await churn(10);
  await expectSettled([second]);
});

test("most requests are answered 429 for a while", async () => {
  const account = await serviceAccount("stormy");
  const user = `{tokenFile: "${await account.tokenFile("token")}"}`;
  const mirror = await startLeading("a", { kubeconfig: throughProxy(user), leaseDuration: 60_000 });
  await churn(10);
  const calm = await rejectRequestsOf(account.user);
  // The server lets one request of this user at a time pass, and answers 429 to the others.
  const { sender } = await connect({ clock, processes, env: {}, kubeconfig: throughProxy(user) });
  const greedy = new HttpClient({ sender, clock, random: systemRandom, timeout: 1000 });
  const end = performance.now() + 5000;
  const crowd = Array.from({ length: 8 }, async () => {
    while (performance.now() < end) await greedy.list(ConfigMaps).catch(() => {});
  });
  while (performance.now() < end) await churn(5);
  await Promise.all(crowd);
  sender.close();
  await calm();
  await churn(5);
  await expectSettled([mirror]);
  expect(mirror.count("refused")).toBeGreaterThan(0);
  expect(mirror.count("stopped")).toBe(0);
});

test("the token is no longer valid, and a new one is in its file", async () => {
  const account = await serviceAccount("expiring");
  const tokenFile = await account.tokenFile("one");
  const mirror = await startLeading("a", {
    kubeconfig: throughProxy(`{tokenFile: "${tokenFile}"}`),
    leaseDuration: 60_000,
  });
  await churn(10);
  await expectSettled([mirror]);
  await client.delete(Secrets, { namespace: source, name: "one" });
  const fresh = await account.tokenFile("two");
  // The API server remembers for ten seconds that the old token was good.
  await pause(11_000);
  writeFileSync(tokenFile, readFileSync(fresh));
  proxy.cut();
  await churn(20);
  await expectSettled([mirror]);
  expect(mirror.count("stopped")).toBe(0);
});

/** A service account that may do everything, whose tokens end with the Secret that they are bound to. */
async function serviceAccount(account: string) {
  const metadata = { namespace: source, name: account };
  await client.create(ServiceAccounts, { metadata });
  await client.create(custom("rbac.authorization.k8s.io", "ClusterRoleBinding", "clusterrolebindings"), {
    metadata: { name: `${source}-${account}` },
    roleRef: { apiGroup: "rbac.authorization.k8s.io", kind: "ClusterRole", name: "cluster-admin" },
    subjects: [{ kind: "ServiceAccount", ...metadata }],
  });
  return {
    user: `system:serviceaccount:${source}:${account}`,
    async tokenFile(secretName: string): Promise<string> {
      const secret = await client.create(Secrets, { metadata: { namespace: source, name: secretName } });
      const request = {
        apiVersion: "authentication.k8s.io/v1",
        kind: "TokenRequest",
        metadata,
        spec: {
          boundObjectRef: { apiVersion: "v1", kind: "Secret", name: secretName, uid: secret.metadata.uid },
        },
      };
      const made = (await client.create(ServiceAccounts, request, { subresource: "token" })) as unknown as {
        status: { token: string };
      };
      const path = join(folder, `token-${systemRandom.hex(4)}`);
      writeFileSync(path, made.status.token, { mode: 0o600 });
      return path;
    },
  };
}

/** The API server itself rejects what the user asks for. The returned function ends it. */
async function rejectRequestsOf(user: string): Promise<() => Promise<void>> {
  const group = "flowcontrol.apiserver.k8s.io";
  const levels = custom(group, "PriorityLevelConfiguration", "prioritylevelconfigurations");
  const flows = custom(group, "FlowSchema", "flowschemas");
  const metadata = { name: "storm" };
  const limited = { nominalConcurrencyShares: 0, lendablePercent: 0, borrowingLimitPercent: 0 };
  await client.create(levels, {
    metadata,
    spec: { type: "Limited", limited: { ...limited, limitResponse: { type: "Reject" } } },
  });
  const everything = {
    verbs: ["*"],
    apiGroups: ["*"],
    resources: ["*"],
    namespaces: ["*"],
    clusterScope: true,
  };
  await client.create(flows, {
    metadata,
    spec: {
      matchingPrecedence: 2,
      priorityLevelConfiguration: metadata,
      rules: [
        {
          subjects: [{ kind: "User", user: { name: user } }],
          resourceRules: [everything],
          nonResourceRules: [{ verbs: ["*"], nonResourceURLs: ["*"] }],
        },
      ],
    },
  });
  return async () => {
    await client.delete(flows, metadata);
    await client.delete(levels, metadata);
  };
}

function custom(group: string, kind: string, plural: string): Resource<KubeObject & Record<string, unknown>> {
  return { group, version: "v1", kind, plural, namespaced: false };
}

function isSameValue(a: unknown, b: unknown): boolean {
  return JSON.stringify(a) === JSON.stringify(b);
}

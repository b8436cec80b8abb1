import { type ChildProcess, spawn } from "node:child_process";
import { mkdtempSync, rmSync } from "node:fs";
import { networkInterfaces, tmpdir } from "node:os";
import { join } from "node:path";
import { createInterface } from "node:readline";
import { expect, test } from "vitest";
import { MOVER_CONTAINER } from "../../src/core/work/mover_job.ts";
import {
  OPERATION_ANNOTATION,
  OWNER_ANNOTATION,
  OWNER_LABEL,
  RUN_LABEL,
} from "../../src/core/work/run_labels.ts";
import { kubeconfigOf, openAccess, writePrivate } from "../../src/embedded/access.ts";
import { ControlPlane } from "../../src/embedded/control_plane.ts";
import { serveHttps } from "../../src/embedded/https_front.ts";
import { MemoryStore } from "../../src/embedded/store/memory_store.ts";
import { type BackupConfig, backupConfigResource } from "../../src/kinds/kopiur/generated/backup_config.ts";
import crds from "../../src/kinds/kopiur/generated/crds.json" with { type: "json" };
import { type Repository, repositoryResource } from "../../src/kinds/kopiur/generated/repository.ts";
import { findConfigurations } from "../../src/kube/admission/ca_bundle.ts";
import { Namespaces, Pods } from "../../src/kube/builtin.ts";
import { HttpClient } from "../../src/kube/client/http_client.ts";
import type { Draft } from "../../src/kube/object.ts";
import { systemClock as clock, sleep } from "../../src/lib/clock.ts";
import { readBody } from "../../src/lib/http.ts";
import { HttpsSender } from "../../src/lib/https_sender.ts";
import { listen } from "../../src/lib/https_server.ts";
import { systemRandom as random } from "../../src/lib/random.ts";
import { silentLogger as log } from "../../src/observe/log.ts";
import { freePort } from "../../tools/cluster/free_port.ts";
import { installCrds } from "../scenarios/install_crds.ts";
import { HEADER, realCollector, standInCollector } from "./collectors.ts";
import { ended } from "./holdfast_home.ts";

/* The operator as a program of its own, against an API server over TLS. */

const NAMESPACE = "holdfast";

class Place implements AsyncDisposable {
  readonly client: HttpClient;
  readonly #stack = new AsyncDisposableStack();
  readonly #kubeconfig: string;

  private constructor(client: HttpClient, kubeconfig: string) {
    this.client = client;
    this.#kubeconfig = kubeconfig;
  }

  static async open(): Promise<Place> {
    const home = mkdtempSync(join(tmpdir(), "operator-program-"));
    const store = new MemoryStore({ clock });
    const webhookSender = ({ url, ca }: { readonly url: string; readonly ca?: string }) =>
      new HttpsSender({ url, ...(ca ? { tls: { ca } } : {}) });
    const plane = new ControlPlane({ clock, random, log, store, webhookSender });
    const access = openAccess({ folder: join(home, "keys"), clock, random });
    const { tls, token } = access;
    const server = await serveHttps({ listen, tls: () => tls, token, handle: plane.handle, log });
    const kubeconfig = join(home, "kubeconfig");
    writePrivate(kubeconfig, kubeconfigOf(access, `https://127.0.0.1:${server.port}`));
    const client = new HttpClient({ clock, random, sender: plane.sender, userAgent: "test" });
    const stop = new AbortController();
    const running = plane.run(stop.signal);
    const place = new Place(client, kubeconfig);
    place.#stack.defer(async () => {
      stop.abort(new Error("the test is over"));
      await Promise.allSettled([running, server.close(AbortSignal.abort())]);
      plane.sender.close();
      store.close();
      rmSync(home, { recursive: true, force: true });
    });
    await installCrds(client, crds, stop.signal);
    await client.create(Namespaces, { metadata: { name: NAMESPACE } });
    while (!(await client.serves(backupConfigResource))) await sleep(clock, 20);
    return place;
  }

  /** Starts the operator; `exit` resolves with its code. */
  run(env: Readonly<Record<string, string>>, ...args: string[]) {
    const child = spawn(process.execPath, ["src/main/operator.ts", ...args], {
      env: { ...process.env, KUBECONFIG: this.#kubeconfig, POD_NAMESPACE: NAMESPACE, ...env },
    });
    const output: string[] = [];
    for (const stream of [child.stdout, child.stderr])
      createInterface({ input: stream }).on("line", (line) => output.push(line));
    this.#stack.defer(() => ended(child, "SIGKILL"));
    const exit = new Promise<number | null>((resolve) => child.once("close", resolve));
    return { child, output, exit };
  }

  write(spec: object): Promise<unknown> {
    const whole = { repository: { name: "nas" }, sources: [{ pvc: { name: "data" } }], ...spec };
    const metadata = { namespace: "default", generateName: "it-" };
    const draft = { metadata, spec: whole } as unknown as Draft<BackupConfig>;
    return this.client.create(backupConfigResource, draft).catch((error: unknown) => error);
  }

  /** Shows the operator the pod of a mover that has just ended well. */
  async endedMover(operation: string): Promise<void> {
    const name = `mover-${random.hex(4)}`;
    const container = { name: MOVER_CONTAINER, image: "none" };
    const times = { startedAt: "2026-01-01T00:00:00Z", finishedAt: "2026-01-01T00:00:01Z" };
    const statusOf = (state: object) => ({
      status: { containerStatuses: [{ ...container, imageID: "", ready: false, restartCount: 0, state }] },
    });
    const labels = { [OWNER_LABEL]: "nobody", [RUN_LABEL]: name };
    const metadata = {
      namespace: NAMESPACE,
      name,
      labels,
      annotations: {
        [OPERATION_ANNOTATION]: operation,
        [OWNER_ANNOTATION]: "kopiur.home-operations.com/v1alpha1 Backup first",
      },
    };
    await this.client.create(Pods, { metadata, spec: { containers: [container] } });
    for (const state of [
      { running: { startedAt: times.startedAt } },
      { terminated: { exitCode: 0, reason: "Completed", ...times } },
    ]) {
      await this.client.patch(
        Pods,
        metadata,
        { type: "merge", patch: statusOf(state) as object },
        { subresource: "status" },
      );
    }
  }

  async configured(): Promise<number> {
    return (await findConfigurations(this.client, "holdfast-kopiur")).length;
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.#stack.disposeAsync();
  }
}

async function readyAt(port: number, { child, output }: { child: ChildProcess; output: readonly string[] }) {
  const sender = new HttpsSender({ url: `http://127.0.0.1:${port}` });
  const status = () =>
    sender.send({ method: "GET", path: "/readyz" }).then(
      (answer) => answer.status,
      () => 0,
    );
  while ((await status()) !== 200) {
    if (child.exitCode !== null) throw new Error(output.join("\n"));
    await sleep(clock, 50);
  }
  sender.close();
}

async function textAt(port: number, path: string, host = "127.0.0.1"): Promise<string> {
  const sender = new HttpsSender({ url: `http://${host}:${port}` });
  const { body } = await sender.send({ method: "GET", path });
  const text = String(await readBody(body));
  sender.close();
  return text;
}

const BAD = { policy: { extraArgs: ["--keep-latest=1"] } };

test("the operator serves its webhooks, says so when it is ready, and takes them back when told to", async () => {
  await using place = await Place.open();
  const [health, webhook] = [await freePort(), await freePort()];
  const env = {
    HOLDFAST_HEALTH_PORT: String(health),
    HOLDFAST_WEBHOOK_PORT: String(webhook),
    HOLDFAST_WEBHOOK_URL: `https://127.0.0.1:${webhook}`,
  };
  expect(await place.write(BAD)).toHaveProperty("metadata");
  const running = place.run(env);
  await readyAt(health, running);
  expect(await textAt(health, "/readyz?verbose")).toMatch(/^\[\+\]leader ok: /m);
  expect(await place.write(BAD)).toMatchObject({
    code: 422,
    message: expect.stringContaining("--keep-latest cannot be passed on"),
  });
  expect(await place.write({})).toHaveProperty("metadata");

  await ended(running.child, "SIGTERM");
  expect(await place.write({})).toMatchObject({
    code: 500,
    message: expect.stringContaining("failed calling webhook"),
  });
  const removal = place.run(env, "--remove-webhooks");
  expect(await removal.exit, removal.output.join("\n")).toBe(0);
  expect(await place.configured()).toBe(0);
  expect(await place.write({})).toHaveProperty("metadata");
});

test("probes and webhooks are answered by IPv6, too, as some clusters have no IPv4", async ({ skip }) => {
  const addresses = Object.values(networkInterfaces()).flatMap((of = []) => of.map(({ address }) => address));
  if (!addresses.includes("::1")) skip("this machine has no ::1");
  await using place = await Place.open();
  const [health, webhook] = [await freePort(), await freePort()];
  const running = place.run({
    HOLDFAST_HEALTH_PORT: String(health),
    HOLDFAST_WEBHOOK_PORT: String(webhook),
    HOLDFAST_WEBHOOK_URL: `https://[::1]:${webhook}`,
  });
  await readyAt(health, running);
  expect(await textAt(health, "/healthz", "[::1]")).toBe("ok\n");
  expect(await place.write(BAD)).toMatchObject({
    code: 422,
    message: expect.stringContaining("--keep-latest cannot be passed on"),
  });
});

test("an operator without webhooks takes those of an earlier start back", async () => {
  await using place = await Place.open();
  const [health, webhook] = [await freePort(), await freePort()];
  const on = { HOLDFAST_WEBHOOK_PORT: String(webhook), HOLDFAST_WEBHOOK_URL: `https://127.0.0.1:${webhook}` };
  const first = place.run({ ...on, HOLDFAST_HEALTH_PORT: String(health) });
  await readyAt(health, first);
  expect(await place.configured()).toBe(2);
  await ended(first.child, "SIGKILL");
  const second = place.run({ HOLDFAST_HEALTH_PORT: String(health) });
  await readyAt(health, second);
  expect(await place.configured()).toBe(0);
  expect(await place.write({})).toHaveProperty("metadata");
});

test("an operator that adopts CRDs ends when another controller writes, and is shut when it starts again", {
  timeout: 180_000,
}, async () => {
  await using place = await Place.open();
  const [health, webhook] = [await freePort(), await freePort()];
  const env = {
    HOLDFAST_ADOPT_CRDS: "on",
    HOLDFAST_HEALTH_PORT: String(health),
    HOLDFAST_WEBHOOK_PORT: String(webhook),
    HOLDFAST_WEBHOOK_URL: `https://127.0.0.1:${webhook}`,
  };
  const { metadata } = (await place.write({})) as BackupConfig;
  const first = place.run(env);
  await readyAt(health, first);
  expect(await textAt(health, "/readyz?verbose")).toMatch(/^\[\+\]adoption of kopiur ok/m);
  // It has written itself by then, and that closes nothing.
  const conditions = async () =>
    (await place.client.get(backupConfigResource, metadata)).status?.conditions?.length;
  await expect.poll(conditions, { timeout: 60_000 }).toBeGreaterThan(0);
  const patch = { type: "merge", patch: { status: { observedGeneration: 7 } } } as const;
  const other = { subresource: "status", fieldManager: "other-controller" };
  await place.client.patch(backupConfigResource, metadata, patch, other);
  expect(await first.exit, first.output.join("\n")).toBe(0);
  expect(first.output.join("\n")).toContain("other-controller wrote the status of backupconfigs.");
  const second = place.run(env);
  await readyAt(health, second);
  const said = await textAt(health, "/readyz?verbose");
  expect(said).toMatch(/^\[!\]adoption of kopiur: not served: other-controller wrote the status of/m);
  expect(said).not.toContain("cache/backupconfigs");
  expect(await textAt(health, "/metrics")).toContain('holdfast_api_served{api="kopiur"} 0');
  expect(await place.configured()).toBe(0);
});

test("the operator tells its figures, and which repositories are maintained", {
  timeout: 180_000,
}, async () => {
  await using place = await Place.open();
  const port = await freePort();
  const running = place.run({ HOLDFAST_HEALTH_PORT: String(port) });
  await readyAt(port, running);
  const name = { namespace: NAMESPACE, name: "nas" };
  const draft = {
    metadata: name,
    spec: {
      backend: { filesystem: { pvc: { name: "store" } } },
      encryption: { passwordSecretRef: { name: "store" } },
    },
  };
  await place.client.create(repositoryResource, draft as unknown as Draft<Repository>);
  const patch = { status: { uniqueID: "known" } };
  await place.client.patch(repositoryResource, name, { type: "merge", patch }, { subresource: "status" });
  const sender = new HttpsSender({ url: `http://127.0.0.1:${port}` });
  const shown = async () => {
    const parts: Uint8Array[] = [];
    for await (const part of (await sender.send({ method: "GET", path: "/metrics" })).body) parts.push(part);
    return Buffer.concat(parts).toString();
  };
  const nas = 'kind="Repository",namespace="holdfast",name="nas"';
  for (const line of [
    `kopiur_repository_maintenance_configured{${nas}} 1`,
    'kopiur_maintenance_due_timestamp_seconds{namespace="holdfast",name="nas",mode="full"} ',
    "holdfast_leader 1",
    'kopiur_controller_reconciliations_total{kind="Repository"} ',
    `kopiur_resource_phase{${nas},phase="Degraded"} 1`,
    'holdfast_api_requests_total{verb="watch",resource="repositories.kopiur.home-operations.com",code="200"} ',
  ]) {
    await expect.poll(shown, { timeout: 60_000 }).toContain(`\n${line}`);
  }
  sender.close();
});

/** The real one is built for the full matrix alone. */
const COLLECTORS = { standInCollector, ...(process.env.HOLDFAST_LONG ? { realCollector } : {}) };

test.each(Object.entries(COLLECTORS))(
  "the operator pushes its logs, traces and metrics to a collector (%s), and shows on loopback what it does",
  {
    timeout: 120_000,
  },
  async (_, open) => {
    await using place = await Place.open();
    await using collector = await open();
    const [health, debug] = [await freePort(), await freePort()];
    const running = place.run({
      HOLDFAST_HEALTH_PORT: String(health),
      HOLDFAST_DEBUG_PORT: String(debug),
      OTEL_EXPORTER_OTLP_ENDPOINT: `http://127.0.0.1:${collector.port}`,
      OTEL_EXPORTER_OTLP_HEADERS: `${HEADER.name}=${encodeURIComponent(HEADER.value)}`,
    });
    await readyAt(health, running);
    await place.write({});
    const debugged = async () => JSON.parse(await textAt(debug, "/debug"));
    await expect.poll(debugged, { timeout: 30_000 }).toMatchObject({
      lease: { leads: true },
      caches: { "backupconfigs.kopiur.home-operations.com": { objects: 1, staleSeconds: 0 } },
      queues: { "kopiur-backupconfig": { depth: 0 } },
    });
    await place.endedMover("snapshot");
    const counted = 'kopiur_mover_operations_total{operation="snapshot",result="succeeded"} 1';
    await expect.poll(() => textAt(health, "/metrics"), { timeout: 30_000 }).toContain(counted);
    const scraped = await textAt(health, "/metrics");
    for (const host of addressesOfThisMachine())
      await expect(textAt(debug, "/debug", host)).rejects.toThrow();
    // What is left is pushed at the end.
    await ended(running.child, "SIGTERM");
    await expect.poll(() => collector.got("logs")).toContain('"stringValue":"starting"');
    await expect.poll(() => collector.got("metrics")).toContain('"name":"holdfast_reconcile"');
    await expect.poll(() => collector.got("traces")).toContain('"name":"reconcile kopiur-backupconfig"');
    await expect.poll(() => collector.got("traces")).toContain('"name":"mover snapshot"');
    if (collector.scrapePort !== undefined) await scrapesTheSame(collector.scrapePort, scraped);
    expect(running.output.join("\n")).not.toContain("telemetry does not reach its collector");
    expect(running.output.join("\n")).not.toContain("hush");
  },
);

/** What Prometheus finds at a collector is what it would find at the operator, and says whose it is. */
async function scrapesTheSame(port: number, operators: string): Promise<void> {
  const shown = () => textAt(port, "/metrics");
  // The operator's own namespace where there is none, and the object's otherwise.
  await expect.poll(shown).toMatch(/^holdfast_leader\{[^}]*\bnamespace="holdfast"/m);
  await expect.poll(shown).toMatch(/^kopiur_resource_phase\{[^}]*\bnamespace="default"/m);
  const own = metricTypes(operators);
  expect(own).toContain("holdfast_reconcile_total counter");
  expect(metricTypes(await shown())).toEqual(expect.arrayContaining(own));
}

/** The name and the type of each metric that has a value. */
function metricTypes(text: string): string[] {
  return [...text.matchAll(/^# TYPE (.*)\n(?!#)./gm)].map(([, type = ""]) => type);
}

function addressesOfThisMachine(): readonly string[] {
  return Object.values(networkInterfaces()).flatMap((of = []) =>
    of.flatMap(({ internal, family, address }) => (internal || family !== "IPv4" ? [] : [address])),
  );
}

import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { setTimeout as pause } from "node:timers/promises";
import { fileURLToPath } from "node:url";
import { planResource } from "../src/kinds/cozystack/generated/plan.ts";
import { type Backup, backupResource } from "../src/kinds/kopiur/generated/backup.ts";
import { Jobs, ValidatingWebhookConfigurations } from "../src/kube/builtin.ts";
import type { Client } from "../src/kube/client.ts";
import { readBody } from "../src/lib/http.ts";
import { HttpsSender } from "../src/lib/https_sender.ts";
import { APIS } from "../src/main/apis.ts";
import { MOVER_IMAGE } from "../test/unit/runs/fake_node.ts";
import { IMAGES } from "../tools/images/images.ts";
import { bundle } from "../tools/run/bundle.ts";
import { atRest } from "./at_rest.ts";
import { claimedOf, selectedClaims } from "./autorestore_ground.ts";
import { atMost, type Figure, informs, median } from "./figures.ts";
import { BENCH_NAMESPACE, OperatorGround } from "./operator_ground.ts";
import { each } from "./parallel.ts";
import { labelledClaims } from "./plumber_ground.ts";
import { Program } from "./program.ts";

const STARTS = 21;
const QUEUED = 1000;
const FINISHED = 10_000;
const REVIEWS_PER_SECOND = 200;
const REVIEW_SECONDS = 10;
/** A third each is labelled, claimed, and planned. */
const PROTECTED = 1_000;
const REST_SECONDS = 20;
const WEBHOOK_PORT = 29443;
/** Labelled PVCs get their objects. */
const SETTINGS = JSON.stringify({ plumber: { mode: "permissive" } });

/** The operator in a process of its own, on a control plane in this one. */
export async function operatorFigures(say: (line: string) => void): Promise<Figure[]> {
  const folder = mkdtempSync(join(tmpdir(), "holdfast-bench-"));
  try {
    const entry = fileURLToPath(new URL("../src/main/operator.ts", import.meta.url));
    const { path } = await bundle(entry, folder, "operator");
    const busy = await busyFigures(path, join(folder, "busy"), say);
    return [
      ...busy.figures,
      ...(await restFigures(path, join(folder, "rest"), busy.finished, say)),
      ...(await allApisFigures(path, folder, say)),
      ...(await protectedFigures(path, join(folder, "protected"), busy.finished, say)),
    ];
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}

/** Starts the operator as its image does, and waits until it has done something. `apis`: default the first. */
async function start(path: string, ground: OperatorGround, apis?: string): Promise<Program> {
  const kubeconfig = join(ground.folder, "kubeconfig");
  writeFileSync(kubeconfig, ground.kubeconfig);
  const { flags, env } = IMAGES.operator;
  const { NODE_COMPILE_CACHE: _, ...own } = process.env;
  const program = new Program(path, [], {
    flags,
    compileCache: false,
    env: {
      ...own,
      ...env,
      KUBECONFIG: kubeconfig,
      HOLDFAST_HEALTH_PORT: "0",
      HOLDFAST_DEBUG_PORT: "0",
      HOLDFAST_LOG_LEVEL: "error",
      HOLDFAST_MOVER_IMAGE: MOVER_IMAGE,
      ...(apis === undefined ? {} : { HOLDFAST_APIS: apis, HOLDFAST_API_SETTINGS: SETTINGS }),
      HOLDFAST_WEBHOOK_URL: `https://127.0.0.1:${WEBHOOK_PORT}`,
      HOLDFAST_WEBHOOK_PORT: String(WEBHOOK_PORT),
    },
  });
  await ground.readyRepository();
  return program;
}

async function busyFigures(
  path: string,
  folder: string,
  say: (line: string) => void,
): Promise<{ readonly figures: readonly Figure[]; readonly finished: Backup }> {
  await using ground = await OperatorGround.open(folder);
  const program = await start(path, ground);
  try {
    say(`${STARTS} Backups, one after the other`);
    const starts: number[] = [];
    for (let i = 0; i < STARTS; i++) starts.push(await moverStart(ground, `start-${i}`));
    const finished = await ground.finishedBackup("start-0");
    say(`${REVIEWS_PER_SECOND} admission reviews a second`);
    const reviews = await reviewTimes(ground);
    say(`${QUEUED} Backups at once, while four movers go on`);
    const queue = await queueCosts(ground, program);
    return {
      finished,
      figures: [
        atMost("a Backup's creation to its mover's start", median(starts), "ms", 500),
        informs("the slowest of these", Math.max(...starts), "ms"),
        atMost("admission: 99 % within", share(reviews, 0.99), "ms", 10),
        informs("admission: half within", share(reviews, 0.5), "ms"),
        atMost(`${QUEUED} Backups queued: calls in the busiest second`, queue.busiest, "", 100),
        informs(`${QUEUED} Backups queued: calls for each`, queue.calls / QUEUED, ""),
        informs(`${QUEUED} Backups queued: all of them wait after`, queue.seconds, "s"),
        informs("the same: memory when all wait", queue.rss, "MB"),
        atMost("the same: memory that is added while they wait", queue.growth, "MB", 10),
        atMost("the same: calls a second while they wait", queue.waitingCalls, "", 10),
        atMost("the same: calls for each run that ends, with its successor's", queue.perEnd, "", 40),
      ],
    };
  } finally {
    await program.end();
  }
}

/** Milliseconds from the creation of a Backup to the moment at which its Job is let go. */
async function moverStart(ground: OperatorGround, name: string): Promise<number> {
  const before = performance.now();
  const letGo = ground.until(Jobs, ({ metadata, spec }) => {
    return metadata.name.startsWith(`${name}-snapshot`) && spec?.suspend === false;
  });
  await ground.createBackup(name);
  await letGo;
  const took = performance.now() - before;
  await ground.finishedBackup(name);
  return took;
}

async function reviewTimes(ground: OperatorGround): Promise<readonly number[]> {
  const { items } = await ground.client.list(ValidatingWebhookConfigurations);
  const hook = items.flatMap(({ webhooks = [] }) => webhooks).find(({ name }) => /backup[s.]/.test(name));
  const { url = "", caBundle = "" } = hook?.clientConfig ?? {};
  const { origin, pathname } = new URL(url);
  using sender = closing(
    new HttpsSender({ url: origin, tls: { ca: Buffer.from(caBundle, "base64").toString() } }),
  );
  const times: number[] = [];
  const calls: Promise<void>[] = [];
  for (let i = 0; i < REVIEWS_PER_SECOND * REVIEW_SECONDS; i++) {
    calls.push(
      (async () => {
        const begun = performance.now();
        const { status, body } = await sender.value.send({
          method: "POST",
          path: pathname,
          headers: { "content-type": "application/json" },
          body: JSON.stringify(ground.review(i)),
        });
        const answer = (await readBody(body)).toString();
        if (status !== 200 || !answer.includes('"allowed":true')) throw new Error(`refused: ${answer}`);
        // The first ones open connections.
        if (i >= REVIEWS_PER_SECOND) times.push(performance.now() - begun);
      })(),
    );
    if (i % 2 === 1) await pause(2000 / REVIEWS_PER_SECOND);
  }
  await Promise.all(calls);
  return times;
}

function closing<T extends { close(): void }>(value: T): { readonly value: T } & Disposable {
  return { value, [Symbol.dispose]: () => value.close() };
}

async function queueCosts(ground: OperatorGround, program: Program) {
  ground.goOn();
  ground.calls.reset();
  const begun = performance.now();
  await each(QUEUED, (i) => ground.createBackup(`queued-${i}`), 8);
  const waiting = async () => (await ground.repositoryRuns()).waiting ?? 0;
  const said = async () => {
    const { items } = await ground.client.list(backupResource, { namespace: BENCH_NAMESPACE });
    return items.filter(({ status }) => status?.conditions?.some(({ reason }) => reason === "Queued")).length;
  };
  while ((await said()) < QUEUED - 4) await pause(1000);
  const seconds = (performance.now() - begun) / 1000;
  const { busiest, total: calls } = ground.calls;
  await pause(5000);
  const rss = program.rss;
  ground.calls.reset();
  await pause(REST_SECONDS * 1000);
  const waitingCalls = ground.calls.total / REST_SECONDS;
  const growth = program.rss - rss;
  if ((await waiting()) < QUEUED - 10) throw new Error(`only ${await waiting()} wait`);
  ground.calls.reset();
  const ended = await ground.endSome(20);
  const perEnd = ground.calls.total / ended;
  return { busiest, calls, seconds, rss, growth, waitingCalls, perEnd };
}

async function restFigures(
  path: string,
  folder: string,
  finished: Backup,
  say: (line: string) => void,
): Promise<readonly Figure[]> {
  await using ground = await OperatorGround.open(folder);
  say(`writing ${FINISHED} finished Backups`);
  await each(FINISHED, (i) => ground.writeFinished(finished, `past-${i}`), 32);
  const program = await start(path, ground);
  try {
    say(`at rest for ${REST_SECONDS} s`);
    await pause(30_000);
    ground.calls.reset();
    const before = program.cpu;
    await pause(REST_SECONDS * 1000);
    const used = program.cpu - before;
    return [
      atMost(`at rest with ${FINISHED} finished Backups: memory`, program.rss, "MB", 130),
      atMost("the same: CPU", (100 * used) / (REST_SECONDS * 1000), "% of a core", 1),
      informs("the same: calls a second", ground.calls.total / REST_SECONDS, ""),
    ];
  } finally {
    await program.end();
  }
}

/** The operator at rest on a control plane where hardly anything is, with one API and with all of them. */
async function allApisFigures(
  path: string,
  folder: string,
  say: (line: string) => void,
): Promise<readonly Figure[]> {
  const atRest = async (apis: string) => {
    await using ground = await OperatorGround.open(join(folder, apis));
    const program = await start(path, ground, apis);
    try {
      say(`at rest, serving ${apis}`);
      await pause(15_000);
      const before = program.cpu;
      await pause(REST_SECONDS * 1000);
      return { rss: program.rss, cpu: (100 * (program.cpu - before)) / (REST_SECONDS * 1000) };
    } finally {
      await program.end();
    }
  };
  const one = await atRest("kopiur");
  const all = await atRest(APIS.map(({ name }) => name).join());
  return [
    informs("at rest on an empty cluster, one API: memory", one.rss, "MB"),
    atMost(`at rest on an empty cluster, all ${APIS.length} APIs: memory`, all.rss, "MB", 85),
    atMost("the same: CPU", all.cpu, "% of a core", 1),
  ];
}

/** All APIs at rest, each with volumes to look after, beside many finished Backups. */
async function protectedFigures(
  path: string,
  folder: string,
  finished: Backup,
  say: (line: string) => void,
): Promise<readonly Figure[]> {
  await using ground = await OperatorGround.open(folder);
  const { client } = ground;
  say(`writing ${FINISHED} finished Backups, and volumes that are labelled, claimed and planned`);
  await each(FINISHED, (i) => ground.writeFinished(finished, `past-${i}`), 32);
  const part = Math.ceil(PROTECTED / 3);
  await labelledClaims(client, part);
  await selectedClaims(client, part);
  await each(part, (i) => plan(client, i), 32);
  const program = await start(path, ground, APIS.map(({ name }) => name).join());
  try {
    while ((await claimedOf(client)) < part) await pause(500);
    say(`until it is at rest, and ${REST_SECONDS} s more`);
    await atRest(program);
    ground.calls.reset();
    const before = program.cpu;
    await pause(REST_SECONDS * 1000);
    const used = program.cpu - before;
    return [
      atMost(`all APIs, ${FINISHED} finished Backups, ${PROTECTED} volumes: memory`, program.rss, "MB", 150),
      atMost("the same: CPU", (100 * used) / (REST_SECONDS * 1000), "% of a core", 1),
      atMost("the same: lists", ground.calls.lists, "", 0),
    ];
  } finally {
    await program.end();
  }
}

/** Of an application that is there, at a time that is far away. */
async function plan(client: Client, number: number): Promise<void> {
  await client.create(planResource, {
    metadata: { namespace: BENCH_NAMESPACE, name: `plan-${number}` },
    spec: {
      applicationRef: { apiGroup: "apps", kind: "StatefulSet", name: "db" },
      backupClassName: "later",
      schedule: { cron: "0 0 1 1 *" },
    },
  } as never);
}

function share(values: readonly number[], part: number): number {
  const sorted = values.toSorted((a, b) => a - b);
  return sorted[Math.min(sorted.length - 1, Math.floor(sorted.length * part))] ?? Number.NaN;
}

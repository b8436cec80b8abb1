import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { setTimeout as pause } from "node:timers/promises";
import { fileURLToPath } from "node:url";
import {
  completed,
  type PlumberWebhookPorts,
  validated,
} from "../src/apis/plumber/admission/plumber_webhooks.ts";
import { auditEndpoint } from "../src/apis/plumber/audit/audit_endpoint.ts";
import { NO_TALLY } from "../src/apis/plumber/plumber_counters.ts";
import { defaultIdentity } from "../src/apis/plumber/policy/backup_identity.ts";
import { repositoryText } from "../src/apis/plumber/repositories.ts";
import { truthPlace } from "../src/apis/plumber/truth/truth_place.ts";
import { knownBackups } from "../src/core/catalog/truth/known_backups.ts";
import { publishTruth } from "../src/core/catalog/truth/publish_truth.ts";
import { shardTexts } from "../src/core/catalog/truth/truth_shards.ts";
import type { Claim } from "../src/core/volumes/claim_request.ts";
import { restoreResource } from "../src/kinds/kopiur/generated/restore.ts";
import { LABELS } from "../src/kinds/plumber/words.ts";
import type { AdmissionRequest } from "../src/kube/admission/review.ts";
import { Namespaces } from "../src/kube/builtin.ts";
import type { ServedRequest, ServedResponse } from "../src/lib/https_server.ts";
import { silentLogger as log } from "../src/observe/log.ts";
import { MOVER_IMAGE } from "../test/unit/runs/fake_node.ts";
import { IMAGES } from "../tools/images/images.ts";
import { bundle } from "../tools/run/bundle.ts";
import { atRest } from "./at_rest.ts";
import { atMost, type Figure, informs } from "./figures.ts";
import { BENCH_NAMESPACE, OperatorGround } from "./operator_ground.ts";
import { each } from "./parallel.ts";
import { claimName, createClaim, HOME, MEDIA, OPTED_IN, PlumberGround } from "./plumber_ground.ts";
import { Program } from "./program.ts";

const KNOWN = 10_000;
const DECISIONS = 5_000;
const LABELLED = 1_000;
/** By then Node has collected what was left of very many writes. */
const COLLECTED_MS = 180_000;

/** Protection by labels: decisions, the list of backups, the audit, and what it costs the operator. */
export async function plumberFigures(say: (line: string) => void): Promise<Figure[]> {
  return [...(await decisionFigures(say)), ...(await memoryFigures(say))];
}

export async function decisionFigures(say: (line: string) => void): Promise<readonly Figure[]> {
  say(`${KNOWN} labelled PVCs`);
  await using ground = await PlumberGround.open(KNOWN);
  say(`the list of ${KNOWN} backups`);
  const warmUp = await warmedUp(ground);
  say(`${DECISIONS} admission decisions`);
  const times = await decisionTimes(ground);
  say("the audit");
  const query = new URLSearchParams();
  const begun = performance.now();
  const used = process.cpuUsage();
  const answer = auditEndpoint(ground.world)({ query } as ServedRequest) as ServedResponse;
  const { user, system } = process.cpuUsage(used);
  const audit = performance.now() - begun;
  if (answer.status !== 200 || !String(answer.body).includes(`"${claimName(KNOWN - 1)}"`))
    throw new Error("the audit lacks PVCs");
  return [
    atMost(`admission decision with ${KNOWN} PVCs known: 99 % within`, share(times, 0.99), "ms", 5),
    informs("the same: half within", share(times, 0.5), "ms"),
    atMost(`warm-up of ${KNOWN} identities, beyond the engine's listing`, warmUp / 1000, "s", 15),
    atMost(`audit of ${KNOWN} PVCs`, audit / 1000, "s", 1),
    informs("the same: processor time", (user + system) / 1_000_000, "s"),
  ];
}

/** Milliseconds from the engine's list to the answer that every replica gives. */
async function warmedUp({ client, world }: PlumberGround): Promise<number> {
  async function* listed() {
    for (let i = 0; i < KNOWN; i += 1) {
      const identity = { username: claimName(i), hostname: MEDIA, path: "/data" };
      yield { identity, startedAt: "2026-01-01T00:00:00Z" };
    }
  }
  const begun = performance.now();
  const known = await knownBackups(listed(), "/data", () => Date.now());
  const head = {
    repository: repositoryText(world.settings.repository),
    uniqueID: "bench",
    readAt: new Date().toISOString(),
  };
  await publishTruth(
    client,
    truthPlace(HOME),
    { head, took: () => 0, texts: shardTexts(known), present: () => undefined },
    {},
  );
  const identity = defaultIdentity(MEDIA, claimName(KNOWN - 1));
  while (world.truth.answer(identity).answer !== "yes") await pause(1);
  return performance.now() - begun;
}

/** Both webhooks' work for one PVC, in milliseconds; half of the PVCs have a backup. */
async function decisionTimes({ world, client }: PlumberGround): Promise<readonly number[]> {
  const ports: PlumberWebhookPorts = {
    world,
    client,
    tally: NO_TALLY,
    log,
    tell: () => {},
    mayUse: async () => true,
    isOperator: () => false,
  };
  const { signal } = new AbortController();
  const times: number[] = [];
  for (let i = 0; i < DECISIONS; i += 1) {
    const name = i % 2 === 0 ? claimName(i) : `new-${i}`;
    const request = arriving(name);
    const begun = performance.now();
    const mutation = await completed(ports, request, signal);
    if (!mutation.allowed) throw new Error(mutation.message);
    const object = mutation.object ?? request.object;
    const verdict = await validated(ports, { ...request, object });
    times.push(performance.now() - begun);
    if (!verdict.allowed) throw new Error(verdict.message);
  }
  return times;
}

function arriving(name: string): AdmissionRequest<Claim> {
  const metadata = {
    namespace: MEDIA,
    name,
    labels: OPTED_IN,
    uid: "",
    resourceVersion: "",
    creationTimestamp: "",
  };
  const object = { apiVersion: "v1", kind: "PersistentVolumeClaim", metadata, spec: {} } as Claim;
  return {
    uid: name,
    operation: "CREATE",
    resource: { group: "", version: "v1", resource: "persistentvolumeclaims" },
    subResource: "",
    name,
    namespace: MEDIA,
    object,
    oldObject: undefined,
    user: { username: "somebody", uid: "", groups: [] },
    // The Restore is created by the API server, which is not what is measured.
    dryRun: true,
  };
}

/** The operator's memory with this API and without it, before the same PVCs and a repository that is there. */
async function memoryFigures(say: (line: string) => void): Promise<readonly Figure[]> {
  const folder = mkdtempSync(join(tmpdir(), "holdfast-bench-"));
  try {
    const entry = fileURLToPath(new URL("../src/main/operator.ts", import.meta.url));
    const { path } = await bundle(entry, folder, "operator");
    say(`the operator without this API, and ${LABELLED} PVCs`);
    const without = await memoryOf(path, join(folder, "without"), "kopiur");
    say("the same with it");
    const with_ = await memoryOf(path, join(folder, "with"), "kopiur,plumber");
    return [
      informs(`operator with ${LABELLED} labelled PVCs, this API off: memory`, without, "MB"),
      informs("the same, this API on", with_, "MB"),
      atMost("the difference", with_ - without, "MB", 20),
    ];
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}

async function memoryOf(path: string, folder: string, apis: string): Promise<number> {
  await using ground = await OperatorGround.open(folder);
  const { client } = ground;
  const patch = { metadata: { labels: { [LABELS.managedNamespace]: "true" } } };
  await client.patch(Namespaces, { name: BENCH_NAMESPACE }, { type: "merge", patch });
  await each(LABELLED, (i) => createClaim(client, { namespace: BENCH_NAMESPACE, name: claimName(i) }), 32);
  const kubeconfig = join(folder, "kubeconfig");
  writeFileSync(kubeconfig, ground.kubeconfig);
  const { flags, env } = IMAGES.operator;
  const { NODE_COMPILE_CACHE: _, ...own } = process.env;
  const isOn = apis.includes("plumber");
  const repository = { kind: "Repository", namespace: BENCH_NAMESPACE, name: "nas" };
  const settings = JSON.stringify({ plumber: { mode: "permissive", repository } });
  const program = new Program(path, [], {
    flags,
    compileCache: false,
    env: {
      ...own,
      ...env,
      KUBECONFIG: kubeconfig,
      HOLDFAST_HEALTH_PORT: "0",
      HOLDFAST_LOG_LEVEL: "error",
      HOLDFAST_MOVER_IMAGE: MOVER_IMAGE,
      HOLDFAST_APIS: apis,
      ...(isOn ? { HOLDFAST_API_SETTINGS: settings } : {}),
    },
  });
  try {
    await ground.readyRepository();
    while (isOn && (await client.list(restoreResource)).items.length < LABELLED) await pause(2_000);
    await atRest(program);
    await pause(COLLECTED_MS);
    return program.rss;
  } finally {
    await program.end();
  }
}

function share(values: readonly number[], part: number): number {
  const sorted = values.toSorted((a, b) => a - b);
  return sorted[Math.min(sorted.length - 1, Math.floor(sorted.length * part))] ?? Number.NaN;
}

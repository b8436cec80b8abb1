import { createHash } from "node:crypto";
import { readFileSync, renameSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { setTimeout as pause } from "node:timers/promises";

/*
 * A driver for the backup API of Cozystack as a third party would write it: a program of its own, from the document of the
 * API alone, which imports nothing of Holdfast. Its tapes are files, on which it writes the spec of an application. Beside
 * it is what it brings along: its strategy's CRD, and the rights that it needs.
 */

const { API_SERVER = "", API_TOKEN = "", TAPES = "" } = process.env;
const CORE = "/apis/backups.cozystack.io/v1alpha1";
const [GROUP, KIND] = ["tapes.example.com", "Tape"];
const DEFAULT_GROUP = "apps.cozystack.io";

interface Ref {
  readonly apiGroup?: string;
  readonly kind: string;
  readonly name: string;
}
interface Stored<Spec, Status = object> {
  readonly apiVersion: string;
  readonly metadata: { readonly name: string; readonly namespace: string; readonly uid: string };
  readonly spec: Spec;
  readonly status?: Status;
}
type JobStatus = { readonly startedAt?: string; readonly completedAt?: string };
type BackupJob = Stored<
  { readonly planRef?: object; readonly applicationRef: Ref; readonly backupClassName: string },
  JobStatus
>;
type RestoreJob = Stored<
  { readonly backupRef: { readonly name: string }; readonly targetApplicationRef?: Ref },
  JobStatus
>;
type BackupClass = Stored<{
  readonly strategies: readonly {
    readonly strategyRef: Ref;
    readonly application: Omit<Ref, "name">;
    readonly parameters?: Readonly<Record<string, string>>;
  }[];
}>;
type Backup = Stored<{
  readonly applicationRef: Ref;
  readonly strategyRef: Ref;
  readonly driverMetadata?: Readonly<Record<string, string>>;
}>;
type Tape = Stored<{ readonly torn?: readonly ("backup" | "restore")[] }>;

class Refused extends Error {
  readonly code: number;
  constructor(code: number, said: string) {
    super(said);
    this.code = code;
  }
}

async function call<T>(method: string, path: string, body?: object): Promise<T> {
  const type = method === "PATCH" ? "application/merge-patch+json" : "application/json";
  const answer = await fetch(`${API_SERVER}${path}`, {
    method,
    headers: { authorization: `Bearer ${API_TOKEN}`, "content-type": type },
    ...(body ? { body: JSON.stringify(body) } : {}),
  });
  const said = await answer.text();
  if (!answer.ok) throw new Refused(answer.status, said);
  return JSON.parse(said) as T;
}

const get = <T>(path: string) => call<T>("GET", path);
/** Nothing where there is none. */
const find = <T>(path: string) =>
  get<T>(path).catch((error: unknown) => {
    if (error instanceof Refused && error.code === 404) return undefined;
    throw error;
  });

type Job = BackupJob | RestoreJob;
const pathOf = (plural: string, { metadata }: { metadata: { namespace: string; name: string } }) =>
  `${CORE}/namespaces/${metadata.namespace}/${plural}/${metadata.name}`;
const say = (plural: string, job: Job | Backup, status: object) =>
  call("PATCH", `${pathOf(plural, job)}/status`, { status });
const now = () => new Date().toISOString().replace(/\.\d+/, "");

const isMine = ({ apiGroup, kind }: Ref) => apiGroup === GROUP && kind === KIND;

/** Where applications of a type are, whatever it is. */
async function collectionOf(namespace: string, { apiGroup = DEFAULT_GROUP, kind }: Ref) {
  type Group = { readonly preferredVersion: { readonly groupVersion: string } };
  type Kinds = { readonly resources: readonly { readonly name: string; readonly kind: string }[] };
  const { groupVersion } = (await get<Group>(`/apis/${apiGroup}`)).preferredVersion;
  const { resources } = await get<Kinds>(`/apis/${groupVersion}`);
  const found = resources.find((one) => one.kind === kind && !one.name.includes("/"));
  if (!found) throw new Error(`There is no ${kind} in ${apiGroup}.`);
  return { groupVersion, path: `/apis/${groupVersion}/namespaces/${namespace}/${found.name}` };
}

async function untorn(ref: Ref, doing: "backup" | "restore"): Promise<void> {
  const { spec } = await get<Tape>(`/apis/${GROUP}/v1/tapes/${ref.name}`);
  if (spec.torn?.includes(doing)) throw new Error("The tape is torn.");
}

const checksumOf = (text: string) => `sha256:${createHash("sha256").update(text).digest("hex")}`;

async function backUp(job: BackupJob): Promise<void> {
  const { metadata, spec } = job;
  const { applicationRef: ref, planRef, backupClassName } = spec;
  const group = ref.apiGroup || DEFAULT_GROUP;
  const found = await find<BackupClass>(`${CORE}/backupclasses/${backupClassName}`);
  const match = found?.spec.strategies.find(
    ({ application }) => application.kind === ref.kind && (application.apiGroup || DEFAULT_GROUP) === group,
  );
  if (!match || !isMine(match.strategyRef)) return;
  const { strategyRef, parameters = {} } = match;
  const { namespace, name, uid } = metadata;
  await carriedOut("backupjobs", job, async () => {
    await untorn(strategyRef, "backup");
    const { path } = await collectionOf(namespace, ref);
    const application = await get<Stored<object>>(`${path}/${ref.name}`);
    const text = JSON.stringify(application.spec);
    writeFileSync(join(TAPES, `${uid}.new`), text);
    renameSync(join(TAPES, `${uid}.new`), join(TAPES, uid));
    const owner = {
      apiVersion: "backups.cozystack.io/v1alpha1",
      kind: "BackupJob",
      name,
      uid,
      controller: true,
    };
    const backup = {
      apiVersion: owner.apiVersion,
      kind: "Backup",
      // "Typically owned by the BackupJob", the document says.
      metadata: { name, namespace, ownerReferences: [owner] },
      spec: {
        applicationRef: ref,
        ...(planRef ? { planRef } : {}),
        strategyRef,
        takenAt: now(),
        driverMetadata: { ...parameters, tape: uid },
      },
    };
    // It may be there: this program may have been stopped right after it made it.
    const made = await find<Backup>(pathOf("backups", { metadata }));
    const stored = made ?? (await call<Backup>("POST", `${CORE}/namespaces/${namespace}/backups`, backup));
    const artifact = {
      uri: `tape://${strategyRef.name}/${uid}`,
      sizeBytes: text.length,
      checksum: checksumOf(text),
    };
    await say("backups", stored, { phase: "Ready", artifact });
    return { backupRef: { name } };
  });
}

async function restore(job: RestoreJob): Promise<void> {
  const { metadata, spec } = job;
  const { namespace } = metadata;
  const backup = await find<Backup>(
    pathOf("backups", { metadata: { namespace, name: spec.backupRef.name } }),
  );
  if (!backup || !isMine(backup.spec.strategyRef)) return;
  const target = spec.targetApplicationRef ?? backup.spec.applicationRef;
  await carriedOut("restorejobs", job, async () => {
    await untorn(backup.spec.strategyRef, "restore");
    const text = readFileSync(join(TAPES, backup.spec.driverMetadata?.tape ?? ""), "utf8");
    const { path, groupVersion: apiVersion } = await collectionOf(namespace, target);
    const { kind, name } = target;
    const restored = { apiVersion, kind, metadata: { name, namespace }, spec: JSON.parse(text) as object };
    if (await find(`${path}/${name}`)) await call("PATCH", `${path}/${name}`, { spec: restored.spec });
    else await call("POST", path, restored);
    return {};
  });
}

/** What the contract says of every job: begun, then succeeded or failed. */
async function carriedOut(plural: string, job: Job, work: () => Promise<object>): Promise<void> {
  const startedAt = job.status?.startedAt ?? now();
  await say(plural, job, { phase: "Running", startedAt });
  try {
    const made = await work();
    await say(plural, job, { phase: "Succeeded", completedAt: now(), ...made });
  } catch (error) {
    const { message } = error as Error;
    const failure = { type: "Ready", status: "False", reason: "TapeFailed", message };
    const conditions = [{ ...failure, lastTransitionTime: now() }];
    await say(plural, job, { phase: "Failed", completedAt: now(), message, conditions });
  }
}

async function each<T extends Job>(plural: string, work: (job: T) => Promise<void>): Promise<void> {
  const { items } = await get<{ readonly items: readonly T[] }>(`${CORE}/${plural}`);
  for (const job of items) {
    if (!job.status?.completedAt) await work(job).catch((error: unknown) => console.error(error));
  }
}

for (let round = 0; ; round += 1) {
  try {
    await each("backupjobs", backUp);
    await each("restorejobs", restore);
    if (round === 0) console.log("ready");
  } catch (error) {
    console.error(error);
  }
  await pause(100);
}

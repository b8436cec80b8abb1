import type { Writer } from "../../kube/client.ts";
import type { KubeObject } from "../../kube/object.ts";
import {
  MAX_STATUS,
  type StatusChange,
  type WriteStatusOptions,
  writeStatus,
} from "../../kube/write/status.ts";
import { isRecord } from "../../lib/json.ts";
import { recordsOf } from "./records.ts";
import { cut } from "./task_words.ts";

/** What takes room in statuses, where it is there. */
interface Roomy {
  readonly logTail?: string;
  readonly failure?: { readonly stderrTail?: string };
  readonly work?: Readonly<Record<string, unknown>>;
  readonly losses?: readonly { readonly examples?: readonly string[] }[];
  readonly snapshots?: readonly { readonly sizeBytes?: number; readonly incomplete?: string }[];
  readonly progress?: object;
  readonly catalog?: { readonly identities?: readonly object[] };
  readonly deletions?: { readonly oldest?: readonly object[] };
  readonly claims?: readonly object[];
  readonly missingData?: Missing;
  readonly lastCheck?: { readonly missing?: Missing };
}

interface Missing {
  readonly hit?: readonly { readonly examples?: readonly string[] }[];
}

type Reduction = (status: Roomy) => Roomy;

/** What a status can do without, the least important first. What an object goes by is not among it. */
const REDUCTIONS: readonly Reduction[] = [
  shorterLog(2048),
  shorterLog(1024),
  ({ logTail: _, ...status }) => status,
  withoutDetails,
  withoutExamples,
  shorterLists,
  shorterWords(512),
  shorterWords(256),
  ({ progress: _, ...status }) => status,
  withoutSizes,
  shorterWords(100),
  shorterWords(60),
  shorterWords(16),
];

/** The status, with as much in it as there is room for: where there are many things, fewer words about each. */
export function fitted<S extends object>(status: S): S {
  let fitting: Roomy = status;
  for (const reduce of REDUCTIONS) {
    if (Buffer.byteLength(JSON.stringify(fitting)) <= MAX_STATUS) break;
    fitting = reduce(fitting);
  }
  return fitting as S;
}

/** How every status is written: whatever there is to say, the API server has room for it. */
export function writeFitted<T extends KubeObject>(
  client: Writer,
  change: StatusChange<T>,
  options: WriteStatusOptions,
): Promise<T> {
  return writeStatus(client, { ...change, status: fitted(change.status) }, options);
}

/** The end of the log says most. */
function shorterLog(length: number): Reduction {
  return ({ logTail, ...status }) =>
    logTail ? { ...status, logTail: logTail.slice(-length).toWellFormed() } : status;
}

/** The engine's own words are in the mover's log as well. */
function withoutDetails({ failure, work, ...status }: Roomy): Roomy {
  const { stderrTail: _, ...told } = failure ?? {};
  const records = Object.entries(recordsOf({ work })).map(([purpose, record]) => {
    if (!isRecord(record) || !isRecord(record.lastFailure)) return [purpose, record];
    const { detail: _, ...kept } = record.lastFailure;
    return [purpose, { ...record, lastFailure: kept }];
  });
  return {
    ...status,
    ...(failure ? { failure: told } : {}),
    ...(work ? { work: Object.fromEntries(records) } : {}),
  };
}

function withoutExamples(status: Roomy): Roomy {
  const { losses, ...rest } = inMissing(status, (missing) => {
    const { hit } = missing;
    return hit ? { ...missing, hit: hit.map(({ examples: _, ...one }) => one) } : missing;
  });
  if (!losses) return rest;
  return { ...rest, losses: losses.map(({ examples: _, ...loss }) => loss) };
}

function inMissing(
  { missingData, lastCheck, ...status }: Roomy,
  change: (missing: Missing) => Missing,
): Roomy {
  const { missing } = lastCheck ?? {};
  return {
    ...status,
    ...(missingData ? { missingData: change(missingData) } : {}),
    ...(lastCheck ? { lastCheck: missing ? { ...lastCheck, missing: change(missing) } : lastCheck } : {}),
  };
}

const MOST = 4;

/** How many there are in all is told beside each of these lists. */
function shorterLists(whole: Roomy): Roomy {
  const { catalog, deletions, claims, ...status } = inMissing(whole, (missing) => shorter(missing, "hit"));
  return {
    ...status,
    ...(claims ? { claims: claims.slice(0, MOST) } : {}),
    ...(catalog ? { catalog: shorter(catalog, "identities") } : {}),
    ...(deletions ? { deletions: shorter(deletions, "oldest") } : {}),
  };
}

function shorter<K extends string, T extends { readonly [k in K]?: readonly object[] }>(part: T, name: K): T {
  const list = part[name];
  return list ? { ...part, [name]: list.slice(0, MOST) } : part;
}

/** The sum is among the figures of the whole Backup. */
function withoutSizes({ snapshots, ...status }: Roomy): Roomy {
  if (!snapshots) return status;
  return { ...status, snapshots: snapshots.map(({ sizeBytes: _, ...snapshot }) => snapshot) };
}

/** Where there are words for people, and what they are called there. All else is a name, or is remembered. */
const WORDY: ReadonlySet<string> = new Set([
  "conditions",
  "failure",
  "losses",
  "hooks",
  "work",
  "claims",
  "retention",
  "backupRefs",
  "namespaces",
  "incomplete",
]);
const WORDS: ReadonlySet<string> = new Set([
  "message",
  "remedy",
  "detail",
  "stderrTail",
  "failure",
  "tolerated",
  "reason",
  "incomplete",
]);

function shorterWords(length: number): Reduction {
  return (status) => {
    const words = Object.entries(status).map(([name, part]) => [
      name,
      WORDY.has(name) ? shortened(part, length, name) : part,
    ]);
    const { snapshots } = status;
    const told = snapshots?.map((one) =>
      one.incomplete ? { ...one, incomplete: cut(one.incomplete, length / 4) } : one,
    );
    return { ...Object.fromEntries(words), ...(told ? { snapshots: told } : {}) };
  };
}

/** A value of JSON with all words in it at most this long. */
function shortened(value: unknown, length: number, name = ""): unknown {
  if (typeof value === "string") return WORDS.has(name) ? cut(value, length) : value;
  if (Array.isArray(value)) return value.map((item) => shortened(item, length, name));
  if (!isRecord(value)) return value;
  return Object.fromEntries(Object.entries(value).map(([key, item]) => [key, shortened(item, length, key)]));
}

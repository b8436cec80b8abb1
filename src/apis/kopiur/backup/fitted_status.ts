import type { BackupStatus } from "../../../kinds/kopiur/generated/backup.ts";
import { MAX_STATUS } from "../../../kube/write/status.ts";
import type { EngineFailure } from "../../../wire/engine_error.ts";
import type { Decision } from "../decision.ts";
import { recordsOf } from "../records.ts";
import { cut } from "../run_words.ts";

type Reduction = (status: BackupStatus) => BackupStatus;

/** What a status can do without, the least important first. What a Backup goes by is not among it. */
const REDUCTIONS: readonly Reduction[] = [
  shorterLog(2048),
  shorterLog(1024),
  ({ logTail: _, ...status }) => status,
  withoutDetails,
  withoutExamples,
  shorterWords(512),
  shorterWords(256),
  ({ progress: _, ...status }) => status,
  withoutSizes,
  shorterWords(100),
  shorterWords(60),
];

/** The decision, with as much in its status as there is room for: with many volumes, fewer words about each. */
export function fitted(decision: Decision<BackupStatus>): Decision<BackupStatus> {
  let { status } = decision;
  if (!status) return decision;
  for (const reduce of REDUCTIONS) {
    if (Buffer.byteLength(JSON.stringify(status)) <= MAX_STATUS) break;
    status = reduce(status);
  }
  return status === decision.status ? decision : { ...decision, status };
}

/** The end of the log says most. */
function shorterLog(length: number): Reduction {
  return ({ logTail, ...status }) => (logTail ? { ...status, logTail: logTail.slice(-length) } : status);
}

/** The engine's own words are in the mover's log as well. */
function withoutDetails({ failure, work, ...status }: BackupStatus): BackupStatus {
  const { stderrTail: _, ...told } = failure ?? {};
  const records = Object.entries(recordsOf({ work })).map(([purpose, record]) => {
    const { lastFailure } = record as { readonly lastFailure?: EngineFailure };
    if (!lastFailure) return [purpose, record];
    const { detail: _, ...kept } = lastFailure;
    return [purpose, { ...(record as object), lastFailure: kept }];
  });
  return {
    ...status,
    ...(failure ? { failure: told as typeof failure } : {}),
    ...(work ? { work: Object.fromEntries(records) } : {}),
  };
}

function withoutExamples({ losses, ...status }: BackupStatus): BackupStatus {
  if (!losses) return status;
  return { ...status, losses: losses.map(({ examples: _, ...loss }) => loss) };
}

/** The sum is among the figures of the whole Backup. */
function withoutSizes({ snapshots, ...status }: BackupStatus): BackupStatus {
  if (!snapshots) return status;
  return { ...status, snapshots: snapshots.map(({ sizeBytes: _, ...snapshot }) => snapshot) };
}

/** Where only words are this long: names and IDs are shorter. */
const WORDY = ["conditions", "failure", "losses", "hooks", "work"] as const;

function shorterWords(length: number): Reduction {
  return (status) => {
    const words = WORDY.flatMap((name) =>
      status[name] === undefined ? [] : [[name, shortened(status[name], length)]],
    );
    const { snapshots } = status;
    const told = snapshots?.map((one) =>
      one.incomplete ? { ...one, incomplete: cut(one.incomplete, length / 4) } : one,
    );
    return { ...status, ...Object.fromEntries(words), ...(told ? { snapshots: told } : {}) };
  };
}

/** A value of JSON with every text in it at most this long. */
function shortened(value: unknown, length: number): unknown {
  if (typeof value === "string") return cut(value, length);
  if (Array.isArray(value)) return value.map((item) => shortened(item, length));
  if (typeof value !== "object" || value === null) return value;
  return Object.fromEntries(Object.entries(value).map(([name, item]) => [name, shortened(item, length)]));
}

import type { RunRecord } from "../../../core/work/run_record.ts";
import type { BackupRepository } from "../../../kinds/velero/generated/backup_repository.ts";
import { timestamp } from "../../../kube/write/timestamp.ts";
import { isRecord } from "../../../lib/json.ts";
import { soonest } from "../../../lib/soonest.ts";
import type { Left } from "../data_path/left_behind.ts";

export const PURGE_ANNOTATION = "holdfast.dev/purge";
/** In one go: what is more comes with the next. */
const MOST_RUNS = 50;
/** As many are remembered as an annotation can hold. */
const MOST_LEFT = 1000;
const AGAIN = 3_600_000;

/** What is to be deleted from a repository, which no Velero server knows of. */
export interface Purge {
  /** Of backups that failed or were cancelled, and are being deleted: everything that they left. */
  readonly runs: readonly string[];
  /** Of backups whose object is gone: what is beside a snapshot that is gone, too. */
  readonly companionsOf: readonly string[];
  /** ISO 8601. */
  readonly since: string;
  readonly record?: RunRecord;
  /** ISO 8601. It failed, and is not begun anew before. */
  readonly notBefore?: string;
  /** All that is to be deleted at some time, until it is. */
  readonly left?: readonly Left[];
}

export interface PurgeView {
  readonly memory: Purge | undefined;
  /** What backups have left, and what those left that have gone since the last look. */
  readonly left: readonly Left[];
  readonly now: number;
}

/** Something is being deleted now. */
export function isUnderWay({ runs, companionsOf, notBefore }: Purge): boolean {
  return notBefore === undefined && runs.length + companionsOf.length > 0;
}

/** Pure: everything that is known to be left: the objects that say so may go at any time. */
export function allLeft(memory: Purge | undefined, more: readonly Left[]): readonly Left[] {
  const companions = (memory?.companionsOf ?? []).map((run): Left => ({ run }));
  const all = [...(memory?.left ?? []), ...companions, ...more];
  const first = new Map(all.toReversed().map((one) => [one.run, one]));
  return [...new Set(all.map(({ run }) => run))].flatMap((run) => first.get(run) ?? []).slice(0, MOST_LEFT);
}

/** Pure: what to delete next, where nothing is being deleted; what to remember; and when to look again. */
export function nextPurge({ memory, left: more, now }: PurgeView): {
  readonly purge?: Purge;
  readonly wakeAt?: number;
} {
  const left = allLeft(memory, more);
  const { notBefore, since = timestamp(now) } = memory ?? {};
  const news = left.some(({ run }) => !memory?.left?.some((known) => known.run === run));
  const rest = { ...NOTHING, since, left, ...(notBefore === undefined ? {} : { notBefore }) };
  const remembered = news ? { purge: rest } : {};
  const held = Date.parse(notBefore ?? "");
  if (held > now) return { ...remembered, wakeAt: Math.min(held, now + AGAIN) };
  const due = left.filter((one) => dueAt(one) <= now).slice(0, MOST_RUNS);
  if (due.length > 0) {
    const [runs, companionsOf] = [true, false].map((whole) =>
      due.filter((one) => (one.due !== undefined) === whole).map(({ run }) => run),
    );
    return { purge: { ...NOTHING, runs, companionsOf, since: timestamp(now), left } as Purge };
  }
  const wakeAt = soonest(...left.map(dueAt));
  return { ...remembered, ...(wakeAt === undefined ? {} : { wakeAt }) };
}

const NOTHING = { runs: [], companionsOf: [] } as const;

function dueAt({ due }: Left): number {
  return due === undefined ? 0 : Date.parse(due);
}

/** Pure: what is remembered once it was tried in vain. */
export function afterFailure(purge: Purge, now: number): Purge {
  return { ...NOTHING, since: purge.since, left: allLeft(purge, []), notBefore: timestamp(now + AGAIN) };
}

/** Pure: what is remembered once it is deleted; nothing where that was all. */
export function afterSuccess({ runs, companionsOf, since, left = [] }: Purge): Purge | undefined {
  const others = left.filter(({ run }) => !runs.includes(run) && !companionsOf.includes(run));
  return others.length === 0 ? undefined : { ...NOTHING, since, left: others };
}

export function purgeOf({ metadata }: BackupRepository): Purge | undefined {
  try {
    const found: unknown = JSON.parse(metadata.annotations?.[PURGE_ANNOTATION] ?? "null");
    if (!isRecord(found) || !isTexts(found.runs) || !isTexts(found.companionsOf)) return undefined;
    if (
      !Array.isArray(found.left ?? []) ||
      !((found.left as readonly unknown[] | undefined) ?? []).every(isLeft)
    )
      return undefined;
    return found as unknown as Purge;
  } catch {
    // Somebody else wrote it.
    return undefined;
  }
}

function isTexts(value: unknown): value is readonly string[] {
  return Array.isArray(value) && value.every((one) => typeof one === "string");
}

function isLeft(value: unknown): value is Left {
  if (!isRecord(value) || typeof value.run !== "string") return false;
  return value.due === undefined || (typeof value.due === "string" && !Number.isNaN(Date.parse(value.due)));
}

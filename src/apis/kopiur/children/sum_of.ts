import type { ReadyState } from "../../../core/reconcile/ready_state.ts";
import type { Backup, BackupStatus } from "../../../kinds/kopiur/generated/backup.ts";
import type { BackupStats } from "../../../kinds/kopiur/parts.ts";
import { timestamp } from "../../../kube/write/timestamp.ts";
import { someOf } from "../../../lib/some_of.ts";
import type { ChildEntry, ChildIntent } from "./child.ts";

/** How a Backup goes in one namespace of several. */
export interface ToldChild {
  readonly entry: ChildEntry;
  readonly intents: readonly ChildIntent[];
  /** The Backup that does the work there, where it is. */
  readonly child?: Backup;
  readonly wakeAt?: number | undefined;
}

export function hasEnded({ phase }: ChildEntry): boolean {
  return phase === "Succeeded" || phase === "Failed" || phase === "Skipped";
}

export interface Sum {
  readonly readyState: ReadyState;
  readonly fields: Partial<BackupStatus>;
}

/** How a Backup of several namespaces stands: it succeeded when it did wherever there was something to back up. */
export function sumOf(backup: Backup, told: readonly ToldChild[], now: number): Sum {
  const entries = told.map(({ entry }) => entry);
  const of = (phase: ChildEntry["phase"]) => entries.filter((entry) => entry.phase === phase);
  const [failed, succeeded, skipped] = [of("Failed"), of("Succeeded"), of("Skipped")];
  const open = entries.filter((entry) => !hasEnded(entry));
  const where = (some: readonly ChildEntry[]) => someOf(some.map(({ namespace }) => namespace));
  const good = succeeded.length > 0 ? ` It succeeded in ${where(succeeded)}.` : "";
  const none = skipped.length > 0 ? ` No claim matches in ${where(skipped)}.` : "";
  const [worst, ...rest] = failed;
  const others = rest.length > 0 ? ` It failed in ${where(rest)} as well.` : "";
  const bad = worst ? ` It failed in ${worst.namespace}: ${worst.message ?? ""}${others}` : "";
  const fields = (phase: BackupStatus["phase"]): Partial<BackupStatus> => ({
    backupRefs: entries,
    ...(phase ? { phase } : {}),
    ...figuresOf(backup, told, open.length === 0, now),
  });
  if (open.length > 0) {
    const begun = entries.some(({ uid, phase }) => uid !== undefined && phase !== "Pending");
    const message = `Backups are under way in ${where(open)}.${good}${none}${bad}`;
    const readyState: ReadyState = {
      state: "reconciling",
      reason: "OtherBackupsRun",
      message,
      warning: failed.length > 0,
    };
    return { readyState, fields: fields(begun ? "Running" : "Pending") };
  }
  if (failed.length === 0 && succeeded.length > 0) {
    const message = `Backed up in ${where(succeeded)}.${none}`;
    return { readyState: { state: "ready", reason: "Succeeded", message }, fields: fields("Succeeded") };
  }
  const reason = succeeded.length > 0 ? "FailedInPart" : "Failed";
  const message = `${bad}${good}${none}`.trim();
  return { readyState: { state: "stalled", reason, message }, fields: fields("Failed") };
}

/** When it ran and how much it was, while all the others are there to say so; later, as it was. */
function figuresOf(
  { status }: Backup,
  told: readonly ToldChild[],
  ended: boolean,
  now: number,
): Pick<BackupStatus, "timing" | "stats"> {
  if (told.some(({ entry, child }) => entry.uid !== undefined && !child)) return {};
  const all = told.flatMap(({ child }) => (child?.status ? [child.status] : []));
  const times = (name: "startTime" | "endTime") =>
    all.flatMap(({ timing }) => (timing?.[name] ? [Date.parse(timing[name])] : []));
  const started = Math.min(...times("startTime"), ...(ended ? [now] : []));
  const before = Date.parse(status?.timing?.endTime ?? "");
  // Where nothing was begun anywhere, it ended when that was first found.
  const known = Number.isNaN(before) ? now : before;
  const over = times("endTime").length > 0 ? Math.max(...times("endTime")) : known;
  const stats = all.flatMap((one) => (one.stats ? [one.stats] : []));
  const timing = ended
    ? {
        startTime: timestamp(Math.min(started, over)),
        endTime: timestamp(over),
        durationSeconds: Math.max(0, Math.round((over - started) / 1000)),
      }
    : Number.isFinite(started)
      ? { startTime: timestamp(started) }
      : undefined;
  return { ...(timing ? { timing } : {}), ...(stats.length > 0 ? { stats: stats.reduce(plus) } : {}) };
}

function plus(a: BackupStats, b: BackupStats): BackupStats {
  // The text of a sum is made when it is shown.
  const [{ size: _, ...one }, { size: __, ...other }] = [a, b];
  const names = new Set([...Object.keys(one), ...Object.keys(other)] as (keyof typeof one)[]);
  return Object.fromEntries([...names].map((name) => [name, (one[name] ?? 0) + (other[name] ?? 0)]));
}

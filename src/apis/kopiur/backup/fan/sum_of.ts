import type { Backup, BackupStatus } from "../../../../kinds/kopiur/generated/backup.ts";
import type { BackupStats } from "../../../../kinds/kopiur/parts.ts";
import { timestamp } from "../../../../kube/write/timestamp.ts";
import { someOf } from "../../../../lib/some_of.ts";
import type { Intent } from "../../decision.ts";
import type { Stand } from "../../verdicts.ts";

/** What a status says of the Backup in one namespace. */
export type BackupPart = NonNullable<BackupStatus["backupRefs"]>[number];

/** How a Backup goes in one namespace of several. */
export interface ToldPart {
  readonly entry: BackupPart;
  readonly intents: readonly Intent[];
  /** The Backup that does the work there, where it is. */
  readonly delegate?: Backup;
  readonly wakeAt?: number | undefined;
}

export function hasEnded({ phase }: BackupPart): boolean {
  return phase === "Succeeded" || phase === "Failed" || phase === "Skipped";
}

export interface FanSum {
  readonly stand: Stand;
  readonly fields: Partial<BackupStatus>;
}

/** How a Backup of several namespaces stands: it succeeded when it did wherever there was something to back up. */
export function sumOf(backup: Backup, told: readonly ToldPart[], now: number): FanSum {
  const entries = told.map(({ entry }) => entry);
  const of = (phase: BackupPart["phase"]) => entries.filter((entry) => entry.phase === phase);
  const [failed, succeeded, skipped] = [of("Failed"), of("Succeeded"), of("Skipped")];
  const open = entries.filter((entry) => !hasEnded(entry));
  const where = (some: readonly BackupPart[]) => someOf(some.map(({ namespace }) => namespace));
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
    const stand: Stand = { state: "reconciling", reason: "Delegated", message, warning: failed.length > 0 };
    return { stand, fields: fields(begun ? "Running" : "Pending") };
  }
  if (failed.length === 0 && succeeded.length > 0) {
    const message = `Backed up in ${where(succeeded)}.${none}`;
    return { stand: { state: "ready", reason: "Succeeded", message }, fields: fields("Succeeded") };
  }
  const reason = succeeded.length > 0 ? "FailedInPart" : "Failed";
  const message = `${bad}${good}${none}`.trim();
  return { stand: { state: "stalled", reason, message }, fields: fields("Failed") };
}

/** When it ran and how much it was, while all the others are there to say so; later, as it was. */
function figuresOf(
  { status }: Backup,
  told: readonly ToldPart[],
  ended: boolean,
  now: number,
): Pick<BackupStatus, "timing" | "stats"> {
  if (told.some(({ entry, delegate }) => entry.uid !== undefined && !delegate)) return {};
  const all = told.flatMap(({ delegate }) => (delegate?.status ? [delegate.status] : []));
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
  const names = new Set([...Object.keys(a), ...Object.keys(b)] as (keyof BackupStats)[]);
  return Object.fromEntries([...names].map((name) => [name, (a[name] ?? 0) + (b[name] ?? 0)]));
}

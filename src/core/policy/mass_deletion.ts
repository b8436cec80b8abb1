import type { Precious } from "./precious_deletions.ts";

/** Somebody outside asked to delete something that stands for stored data. */
export interface Deletion {
  readonly id: string;
  /** When it was asked for, by the API server's clock. Only compared with others of that clock. */
  readonly requestedAt: number;
  /** When this process first saw it, by its own clock. */
  readonly seenAt: number;
  /** It has been carried out, and is remembered because it counts. */
  readonly done?: boolean;
  /** It is held by itself, however few there are. */
  readonly precious?: Precious | undefined;
}

export interface MassDeletionSettings {
  /** So many within the window are nothing special; one more is too many. */
  readonly most: number;
  readonly window: number;
  /** How long each one waits, so that those after it are seen in time. */
  readonly pause: number;
}

export const MASS_DELETION: MassDeletionSettings = { most: 10, window: 600_000, pause: 10_000 };

export interface MassDeletionRequest {
  /** Of one repository. */
  readonly deletions: readonly Deletion[];
  /** The token that was acknowledged last. */
  readonly acknowledged?: string | undefined;
  readonly now: number;
  readonly settings?: MassDeletionSettings;
}

export interface MassDeletionDecision {
  /** To be carried out. */
  readonly release: readonly string[];
  /** Until somebody acknowledges the token. */
  readonly held?: { readonly ids: readonly string[]; readonly token: string; readonly message: string };
  /** When those that only pause are looked at again. */
  readonly wakeAt?: number;
}

/**
 * Which deletions are carried out. More of them within a short time than is usual are held: a script that went wrong,
 * or a namespace's manifests that were pruned, looks just like that. So are few that are precious. A token names the time of the latest one that is
 * held, and acknowledges all up to it: so it holds through restarts, and not for what is asked for later.
 */
export function decideMassDeletion(request: MassDeletionRequest): MassDeletionDecision {
  const { acknowledged, now, settings = MASS_DELETION } = request;
  const until = acknowledged === undefined ? Number.NaN : Date.parse(acknowledged);
  const sorted = request.deletions.toSorted((a, b) => a.requestedAt - b.requestedAt);
  const open = sorted.filter(({ requestedAt }) => !(requestedAt <= until));
  const crowd = new Set([...crowdOf(open, settings), ...open.filter(({ precious }) => precious)]);
  const pending = sorted.filter(({ done }) => !done);
  const held = pending.filter((deletion) => crowd.has(deletion));
  const free = pending.filter((deletion) => !crowd.has(deletion));
  const readyAt = (deletion: Deletion) =>
    // A clock that was set back must not make it wait for longer than that.
    Math.min(deletion.seenAt, now) + (deletion.requestedAt <= until ? 0 : settings.pause);
  const waiting = free.filter((deletion) => readyAt(deletion) > now);
  return {
    release: free.filter((deletion) => readyAt(deletion) <= now).map(({ id }) => id),
    ...(held.length > 0 && { held: heldUp(held, settings) }),
    ...(waiting.length > 0 && { wakeAt: Math.min(...waiting.map(readyAt)) }),
  };
}

/** Those that have too many others within a window around them. They are sorted by time. */
function crowdOf(
  deletions: readonly Deletion[],
  { most, window }: MassDeletionSettings,
): ReadonlySet<Deletion> {
  const crowd = new Set<Deletion>();
  let first = 0;
  let counted = 0;
  for (const [i, { requestedAt }] of deletions.entries()) {
    while (requestedAt - (deletions[first]?.requestedAt ?? 0) > window) first += 1;
    if (i - first + 1 <= most) continue;
    for (const deletion of deletions.slice(Math.max(first, counted), i + 1)) crowd.add(deletion);
    counted = i + 1;
  }
  return crowd;
}

function heldUp(held: readonly Deletion[], settings: MassDeletionSettings) {
  const token = new Date(held.at(-1)?.requestedAt ?? 0).toISOString();
  const message =
    `${held.length === 1 ? "1 deletion is" : `${held.length} deletions are`} held, because ${whyHeld(held, settings)}: ` +
    `if they are meant, acknowledge ${token}; if not, keep their snapshots by their deletion policy before they are let go`;
  return { ids: held.map(({ id }) => id), token, message };
}

function whyHeld(held: readonly Deletion[], { most, window }: MassDeletionSettings): string {
  if (held.some(({ precious }) => !precious))
    return `more than ${most} were asked for within ${window / 1000} seconds`;
  return held.some(({ precious }) => precious === "LastOfVolume")
    ? "with them goes the last good backup of a volume"
    : "they are most of the good backups of their volumes";
}

import { keyOf } from "../../kube/object.ts";
import { timestamp } from "../../kube/write/timestamp.ts";
import { fingerprint } from "../../lib/hash.ts";
import { err, ok, type Result } from "../../lib/result.ts";
import type { Identity } from "../../wire/identity.ts";
import { onlyOwner } from "../../wire/only_owner.ts";
import type { Snapshot } from "../../wire/snapshot.ts";
import type { Smaller } from "../policy/prune_guard.ts";
import { type Problem, refused } from "../reconcile/problem.ts";
import { specFingerprint } from "../reconcile/spec_fingerprint.ts";
import { cut } from "../reconcile/task_words.ts";
import type { PointInTime } from "./answer.ts";
import { lackOf } from "./deletion_doubt.ts";
import type { Pinned, RepositoryRef, Restore } from "./restore.ts";

/** What a repository is asked for, that alone knows which snapshot is meant. */
export interface Ask {
  readonly type: "Ask";
  readonly repository: RepositoryRef;
  readonly identity: Identity;
  readonly point: PointInTime;
  /** Without such a snapshot the volume starts empty: never, always, or only where it was hardly backed up before. */
  readonly startEmpty: "Never" | "Always" | "IfNew";
  /** As far as the API's own objects tell, the volume was backed up before. */
  readonly backedUpBefore?: boolean;
  /** A snapshot that is far smaller than those before it is passed over. Default: its size does not matter. */
  readonly shrink?: ShrinkRule;
}

/** When a snapshot counts as far smaller than those before it. */
export interface ShrinkRule {
  /** By so much. 100: however small it is. */
  readonly maxShrinkPercent: number;
  /** The run whose smaller source somebody accepted. */
  readonly accepted?: string | undefined;
  /** What was begun before this is no measure any more, in milliseconds since 1970. Default: all of it is. */
  readonly measuredFrom?: number | undefined;
  /** Runs that the API's own objects measured, and how those that shrank did: these may reach further back than a list. */
  readonly known?: ReadonlyMap<string, Smaller | undefined>;
}

/** What is restored. */
export type Resolution = { readonly type: "Pinned"; readonly pinned: Pinned } | Ask;

/** Where the data for a claim comes from. */
export interface RestoreSource {
  /** Or what that waits for. */
  readonly resolution: Result<Resolution, Problem>;
  /** The backup that it waits for is being made, and ends by itself: that has as long as it needs. Default false. */
  readonly isUnderWay?: boolean;
}

/** One for each question: once it is another, the answer to the one before says nothing. */
export function askPurpose(restore: Restore, { repository, identity }: Pick<Ask, "repository" | "identity">) {
  const { username, hostname, path } = identity;
  const mark = [specFingerprint(restore), keyOf(repository), username, hostname, path];
  return `ask-${fingerprint(JSON.stringify(mark))}`;
}

/** So many characters of what a snapshot lacks are remembered. */
export const MOST_SAID = 128;

/** The repository's answer, as it is pinned; without a snapshot it is a definite "there is none". */
export function pinAnswer(
  { repository, identity }: Ask,
  snapshot: Snapshot | undefined,
  now: number,
): Pinned {
  const { username, hostname, path: sourcePath } = identity;
  const base = { repository, identity: { username, hostname, sourcePath } };
  const pinnedAt = timestamp(now);
  if (!snapshot) return { ...base, noSnapshot: true, pinnedAt };
  const { id: snapshotID, root, fidelity, run, owners, startedAt, bytes } = snapshot;
  const lacks = lackOf(snapshot);
  return {
    ...base,
    snapshotID,
    ...(root ? { root } : {}),
    fidelity,
    ...(run ? { runID: run } : {}),
    ...onlyOwner(owners),
    snapshotTime: timestamp(Date.parse(startedAt)),
    ...(bytes === undefined ? {} : { sizeBytes: bytes }),
    ...(lacks === undefined ? {} : { lacks: cut(lacks, MOST_SAID) }),
    pinnedAt,
  };
}

/** Which of several volumes is meant. */
export interface VolumeChoice {
  /** The claim that was backed up, as name or namespace/name. */
  readonly pvc?: string | undefined;
  readonly sourcePath?: string | undefined;
  /** The claim that is restored into: it stands for its namesake when nothing else is said. */
  readonly target?: string | undefined;
  /** There may be others that nobody has seen yet: the only one need not be the one that is meant. */
  readonly open?: boolean;
}

/** What to do, as a sentence. */
export interface VolumeRemedies {
  readonly unknown: string;
  readonly ambiguous: string;
}

/** The volume that is meant, among those of a backup, or of what is backed up together. */
export function pickVolume<V extends { readonly pvc?: string; readonly path: string }>(
  volumes: readonly V[],
  { pvc, sourcePath, target, open = false }: VolumeChoice,
  remedies: VolumeRemedies,
): Result<V, Problem> {
  const [first, ...others] = volumes;
  const unsaid = pvc === undefined && sourcePath === undefined;
  if (first && others.length === 0 && unsaid && !open) return ok(first);
  const wanted = pvc ?? (sourcePath === undefined ? target : undefined);
  const found = volumes.filter(
    (one) =>
      (wanted === undefined || isClaim(one.pvc, wanted)) &&
      (sourcePath === undefined || one.path === sourcePath),
  );
  const [match, ...more] = found;
  if (match && more.length === 0) return ok(match);
  const known = volumeNames(volumes);
  if (!match && !unsaid) {
    const message = `No volume is known as ${[pvc, sourcePath].filter(Boolean).join(", ")}: there are ${known}. ${remedies.unknown}`;
    return err(refused("VolumeUnknown", message));
  }
  return err(
    refused(
      "VolumeAmbiguous",
      `Which volume is meant is not clear: there are ${known}. ${remedies.ambiguous}`,
    ),
  );
}

/** Volumes in a sentence, each with all that it can be named by. */
export function volumeNames(volumes: readonly { readonly pvc?: string; readonly path: string }[]): string {
  return volumes.map(({ pvc = "?", path }) => `${pvc} (${path})`).join(", ") || "none";
}

function isClaim(claim: string | undefined, wanted: string): boolean {
  return claim === wanted || (!wanted.includes("/") && claim?.split("/")[1] === wanted);
}

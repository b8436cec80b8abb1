import type { Identity } from "../../wire/identity.ts";
import type { Snapshot } from "../../wire/snapshot.ts";
import type { EngineRoom } from "../reconcile/engine_room.ts";
import { type Problem, waits } from "../reconcile/problem.ts";
import { type ListedRepository, listingProblem, listSnapshots } from "./list_snapshots.ts";
import { AHEAD, whyPassedOver } from "./passed_over.ts";

/** Whose backup is asked for. Without a path: any of that user and host. */
export type AskedIdentity = Pick<Identity, "username" | "hostname"> & Partial<Pick<Identity, "path">>;

/** What is known of a repository's list. */
export type KnownList =
  | {
      /** When it was asked for, by the clock of the one who asks now. */
      readonly readAt: number;
      /** Complete, at least for the identity. */
      readonly snapshots: Iterable<Pick<Snapshot, "id" | "identity" | "startedAt" | "incomplete">>;
      /** Why nobody believes yet that what it lacks is gone, such as a list that has shrunk. */
      readonly doubt?: Problem | undefined;
    }
  /** Why there is none: never read, unreachable, or another repository answers. */
  | { readonly problem: Problem };

/** Whether there is a backup. Whoever would start empty, or overwrite, must do so on `no` alone. */
export type BackupTruth =
  | {
      readonly answer: "yes";
      /** The newest one that holds all of its source. */
      readonly snapshot: { readonly id: string; readonly startedAt: string };
      /** How old the answer is, in milliseconds. */
      readonly age: number;
    }
  | { readonly answer: "no"; readonly age: number }
  | { readonly answer: "unknown"; readonly why: Problem };

export interface TruthOptions {
  readonly now: number;
  /** What is older is no answer, in milliseconds. Default: whatever was read. */
  readonly maxAge?: number | undefined;
}

/** Is there a backup of this identity? What cannot be known for sure is unknown, and never `no`. */
export function backupTruth(
  identity: AskedIdentity,
  list: KnownList,
  { now, maxAge = Number.POSITIVE_INFINITY }: TruthOptions,
): BackupTruth {
  if ("problem" in list) return unknown(list.problem);
  const age = now - list.readAt;
  if (!(age >= -AHEAD)) return unknown(LIST_FROM_THE_FUTURE);
  if (age > maxAge) return unknown(outdated(age));
  const known = { age: Math.max(0, age) };
  const passedOver: string[] = [];
  let newest: { readonly id: string; readonly startedAt: string } | undefined;
  for (const { id, startedAt, incomplete, identity: whose } of list.snapshots) {
    if (!isOf(whose, identity)) continue;
    const why = whyPassedOver({ startedAt, incomplete }, { now });
    if (why !== undefined) passedOver.push(`${id}: ${why}`);
    else if (!newest || Date.parse(startedAt) > Date.parse(newest.startedAt)) newest = { id, startedAt };
  }
  if (newest) return { answer: "yes", snapshot: newest, ...known };
  if (passedOver.length > 0) return unknown(unusable(passedOver));
  return list.doubt ? unknown(list.doubt) : { answer: "no", ...known };
}

/**
 * Asks the repository itself. `doubt`: as of a list that is known. Rejects when the signal says so, and with nothing
 * else.
 */
export async function askBackupTruth(
  room: Pick<EngineRoom, "sessions" | "clock">,
  { doubt, ...repository }: ListedRepository & { readonly doubt?: Problem | undefined },
  identity: AskedIdentity,
  signal: AbortSignal,
): Promise<BackupTruth> {
  const readAt = room.clock.now();
  try {
    const { username, hostname, path } = identity;
    const filter = { username, hostname, ...(path === undefined ? {} : { path }) };
    const snapshots: Snapshot[] = [];
    for await (const one of listSnapshots(room, repository, filter, signal)) snapshots.push(one);
    return backupTruth(identity, { readAt, snapshots, doubt }, { now: room.clock.now() });
  } catch (error) {
    signal.throwIfAborted();
    return unknown(listingProblem(error));
  }
}

function isOf(whose: Identity, { username, hostname, path = whose.path }: AskedIdentity): boolean {
  return whose.username === username && whose.hostname === hostname && whose.path === path;
}

function unknown(why: Problem): BackupTruth {
  return { answer: "unknown", why };
}

const LIST_FROM_THE_FUTURE = waits(
  "ClockSkew",
  "The repository's list is from the future, so nobody knows how old it is. It is read again; check the clocks of the nodes.",
);

function outdated(age: number): Problem {
  const message = `The repository's list is ${Math.round(age / 1000)} seconds old, which is too old to rely on. It is read again.`;
  return waits("CatalogOutdated", message);
}

function unusable(passedOver: readonly string[]): Problem {
  const [first = "", ...more] = passedOver;
  const others = more.length > 0 ? `, and ${more.length} more` : "";
  const message = `There are snapshots, but none that can be relied on (${first}${others}). Check them, and name one to use it all the same.`;
  return waits("OnlyUnusableSnapshots", message);
}

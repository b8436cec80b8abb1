import { share } from "../../lib/hash.ts";
import { isUnfinished, recordOf, recordsOf } from "../reconcile/records.ts";
import { specFingerprint } from "../reconcile/spec_fingerprint.ts";
import type { Evidence } from "../work/queue/breaker.ts";
import { decisiveSetback } from "./decisive_setback.ts";
import type { Repository } from "./repository.ts";

/** A repository that answered is asked again after this long: whether it still is the same one, and how large it is. */
export const CONTACT_EVERY = 3_600_000;
/** One that cannot be used is tried again after this long: what is wrong may have been put right elsewhere. */
export const TRY_EVERY = 300_000;
/** The share of these times that differs from repository to repository, so that not all are asked at once. */
const SPREAD = 0.1;

const PREFIX = "connect-";
const NOTHING: Evidence = { setbacks: [] };

/** A run that connects to a repository. */
export interface Contact {
  readonly purpose: string;
  /** It was begun for an earlier spec of the repository, and has to end. */
  readonly outdated: boolean;
  /** The repository was connected to before, just as it is now. */
  readonly again: boolean;
}

/** The contact that is under way, or due, or the newest one where none is: it only has to be tidied up. */
export function contactOf(repository: Repository, now: number, evidence: Evidence = NOTHING): Contact {
  const { status } = repository;
  const current = PREFIX + specFingerprint(repository);
  const known = Object.keys(recordsOf(status)).filter(isContact);
  const running = known.find((purpose) => isUnfinished(recordOf(status, purpose)));
  if (running !== undefined) {
    return { purpose: running, outdated: !isOf(running, current), again: running !== current };
  }
  const begun = (purpose: string) => recordOf(status, purpose)?.startedAt ?? "";
  const newest = known
    .filter((one) => isOf(one, current))
    .toSorted((a, b) => (begun(a) < begun(b) ? 1 : -1))[0];
  if (newest === undefined) return { purpose: current, outdated: false, again: false };
  const next = nextContactAt(repository) ?? now;
  // A time that is far ahead was written by a clock that was wrong.
  const wrong = next > now + 2 * CONTACT_EVERY;
  const due = next <= now || wrong || decisiveSetback(status, evidence) !== undefined;
  const purpose = due ? `${current}-${Math.floor(now / 1000).toString(36)}` : newest;
  return { purpose, outdated: false, again: purpose !== current };
}

/** Whether a task of a repository is a contact. */
export function isContact(purpose: string): boolean {
  return purpose.startsWith(PREFIX);
}

function isOf(purpose: string, current: string): boolean {
  return purpose === current || purpose.startsWith(`${current}-`);
}

/** When the repository is asked again; undefined where it never was. */
export function nextContactAt({ metadata, status }: Repository): number | undefined {
  const [last, every] = status?.failure
    ? [status.failure.at, TRY_EVERY]
    : [status?.lastContactAt, CONTACT_EVERY];
  const at = Date.parse(last ?? "");
  return Number.isNaN(at) ? undefined : at + every + Math.round(SPREAD * every * share(metadata.uid));
}

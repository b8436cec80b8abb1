import { type KubeObject, keyOf } from "../../kube/object.ts";
import { type Holder, holderText } from "../policy/identity.ts";
import type { Violation } from "../reconcile/violation.ts";
import type { RecordedPath } from "./recorded_paths.ts";

/** An object that records snapshots in a repository. */
export interface IdentityUser {
  readonly object: KubeObject;
  /** As `username@hostname`: the one that it asks for, and the one that its snapshots have. */
  readonly holders: ReadonlySet<string>;
  /** Every path that it is known to record. Some have no field: they were found by a selector. */
  paths(): readonly (Pick<RecordedPath, "path"> & Partial<RecordedPath>)[];
  /** It records what it selects, too. */
  readonly selects: boolean;
}

export interface IdentityUsers {
  readonly user: IdentityUser;
  /** All of the same repository, itself included or not. */
  readonly others: readonly IdentityUser[];
}

/** The identities that an object asks for and has. */
export function holdersAmong(...holders: readonly (Holder | undefined)[]): ReadonlySet<string> {
  return new Set(holders.flatMap((holder) => (holder ? [holderText(holder)] : [])));
}

/**
 * Two that record the same path of the same identity in one repository: each would take the other's snapshots for its
 * own, and prune them. `words`: the field that names the sources, and what to change.
 */
export function identityCollision(
  users: IdentityUsers,
  words: { readonly field: string; readonly fix: string },
): Violation | undefined {
  const { user } = users;
  const paths = user.paths();
  for (const { other, holder } of sharers(users)) {
    const theirs = new Set(other.paths().map(({ path }) => path));
    const shared = paths.find(({ path }) => theirs.has(path));
    if (!shared) continue;
    return {
      reason: "IdentityCollision",
      field: shared.field ?? words.field,
      what: `${holder}:${shared.path} is taken`,
      why: `${theOther(user, other)} records the same path under the same identity in this repository, and each would prune the other's snapshots`,
      fix: words.fix,
    };
  }
  return undefined;
}

/** One of the same identity, one of the two with a selector: whether they meet shows when it is resolved. */
export function possibleCollision(users: IdentityUsers): string | undefined {
  const { user } = users;
  const found = sharers(users).find(({ other }) => other.selects || user.selects);
  return found && `${theOther(user, found.other)} has the same identity: their claims must not overlap`;
}

/** Whether the other one was first, so that this one has to give way. */
export function givesWayTo(object: KubeObject, other: KubeObject): boolean {
  const age = ({ metadata }: KubeObject) => `${metadata.creationTimestamp} ${keyOf(metadata)}`;
  return age(other) < age(object);
}

/** The others that have an identity in common with this one, and which. */
function sharers({ user, others }: IdentityUsers) {
  return others.flatMap((other) => {
    const holder = [...other.holders].find((one) => user.holders.has(one));
    const { object } = other;
    if (holder === undefined || keyOf(object) === keyOf(user.object) || object.metadata.deletionTimestamp)
      return [];
    return [{ other, holder }];
  });
}

/** What other namespaces call their things is theirs. */
function theOther({ object }: IdentityUser, { object: other }: IdentityUser): string {
  return other.metadata.namespace === object.metadata.namespace
    ? `${other.kind} ${other.metadata.name}`
    : `a ${other.kind} of another namespace`;
}

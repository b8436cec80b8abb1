import { jsonEqual } from "../../lib/json.ts";
import type { Stored } from "../store/store.ts";
import { checkTyped } from "./check_typed.ts";
import { compare, comparisonOutside } from "./compare.ts";
import type { Conflict } from "./conflict.ts";
import { difference, type FieldSet, intersection, NO_FIELDS, outside, union } from "./field_set.ts";
import { fieldsOf } from "./fields_of.ts";
import { KUBECTL, lastAppliedFields, renewLastApplied } from "./last_applied.ts";
import {
  decodeOwners,
  emptyObject,
  identityOf,
  type Owner,
  type Owners,
  resetFields,
  type TrackedKind,
  UNTRACKED,
  type Writer,
  withOwners,
} from "./managed_fields.ts";
import { merge, removeFields } from "./merge.ts";
import { PatchRefused } from "./patch_refused.ts";
import { updateOwners } from "./track_update.ts";
import {
  type Fields,
  fieldsIn,
  NoElement,
  reconcileFields,
  type Typing,
  typingOf,
  withNamedFields,
} from "./typing.ts";

export interface ApplyRequest {
  readonly kind: TrackedKind;
  /** As it is stored; undefined when the apply creates it. */
  readonly live: Stored | undefined;
  /** What the client sent, with apiVersion, kind and metadata. */
  readonly applied: Fields;
  readonly manager: string;
  /** Takes fields from other managers instead of ending in a conflict. */
  readonly force: boolean;
  readonly apiVersion: string;
  readonly subresource?: string | undefined;
  /** Now, as managedFields writes it: whole seconds. */
  readonly time: string;
}

/** The object to store, before defaults and admission; or none, and who stands against it. */
export type ApplyOutcome =
  | { readonly object: Stored; readonly conflicts: readonly [] }
  | { readonly object?: undefined; readonly conflicts: readonly Conflict[] };

/** A server-side apply: merges what the manager wants, and removes what only it wanted before. */
export function serverSideApply(request: ApplyRequest): ApplyOutcome {
  const { kind, applied, force } = request;
  const typing = typingOf(kind.schema);
  check(typing, applied);
  const type = { apiVersion: applied.apiVersion, kind: applied.kind };
  const live = request.live ?? ({ ...emptyObject(kind), ...type } as Stored);
  const attempt = tryApply(request, typing, live);
  if (request.manager !== KUBECTL) return settle(attempt, force);
  const allowed = force ? NO_FIELDS : lastAppliedFields(typing, live);
  const conflicts = attempt.conflicts
    .map(({ owner, fields }) => ({ owner, fields: difference(fields, allowed) }))
    .filter(({ fields }) => fields.size > 0);
  const outcome = settle({ ...attempt, conflicts }, force);
  return outcome.object ? { ...outcome, object: renewLastApplied(outcome.object, applied) } : outcome;
}

interface Attempt {
  readonly forced: Stored;
  readonly conflicts: readonly Conflict[];
}

function settle({ forced, conflicts }: Attempt, force: boolean): ApplyOutcome {
  return force || conflicts.length === 0 ? { object: forced, conflicts: [] } : { conflicts };
}

function check(typing: Typing, applied: Fields): void {
  if ((fieldsIn(applied.metadata).managedFields ?? null) !== null) {
    throw new PatchRefused(400, "metadata.managedFields must be nil");
  }
  const problems = checkTyped(typing, applied);
  if (problems.length === 1) throw untyped("patch", applied, problems[0] ?? "");
  if (problems.length > 1) {
    throw untyped("patch", applied, ["errors:", ...problems.map((problem) => `  ${problem}`)].join("\n"));
  }
}

function untyped(which: "patch" | "live", object: Fields, problem: string): PatchRefused {
  const { namespace = "", name = "" } = fieldsIn(object.metadata);
  const group = String(object.apiVersion).includes("/") ? "" : "/";
  const what = `${namespace}/${name}; ${group}${object.apiVersion}, Kind=${object.kind}`;
  return new PatchRefused(500, `failed to create typed ${which} object (${what}): ${problem}`);
}

/** The outcome if every conflict is settled in the manager's favour, and the conflicts. */
function tryApply(request: ApplyRequest, typing: Typing, live: Stored): Attempt {
  try {
    return applyOver(request, typing, live);
  } catch (error) {
    throw error instanceof NoElement ? untyped("live", live, error.message) : error;
  }
}

function applyOver(request: ApplyRequest, typing: Typing, live: Stored): Attempt {
  const { kind, applied, apiVersion, subresource, time } = request;
  const writer: Writer = { manager: request.manager, operation: "Apply", apiVersion, subresource };
  const identity = identityOf(writer);
  const owners = new Map(ownersBefore(request, live, writer));
  const last = owners.get(identity);
  const ignored = resetFields(kind, subresource);
  const mine: Owner = { ...writer, time: last?.time, fields: outside(fieldsOf(typing, applied), ignored) };
  owners.set(identity, mine);

  const merged = merge(typing, live, applied);
  const object = last ? prune(typing, merged, last.fields, ownedByAnyone(owners)) : merged;
  const { removed, modified, added } = comparisonOutside(compare(typing, live, object), ignored);
  const changed = union(modified, added);
  const conflicts: Conflict[] = [];
  for (const [other, owner] of owners) {
    if (other === identity) continue;
    const disputed = intersection(owner.fields, changed);
    if (disputed.size > 0) conflicts.push({ owner, fields: disputed });
    owners.set(other, { ...owner, fields: difference(difference(owner.fields, disputed), removed) });
  }
  const fields = difference(mine.fields, UNTRACKED);
  owners.set(identity, { ...mine, fields, ...(jsonEqual(live, object) ? {} : { time }) });
  return { forced: withOwners(object as Stored, owners), conflicts };
}

/** The owners as the schema sees them now. On an object without any, all that is there has one: whoever came before. */
function ownersBefore({ kind, time }: ApplyRequest, live: Stored, writer: Writer): Owners {
  const owners = decodeOwners(live.metadata.managedFields);
  if (!owners) throw new PatchRefused(500, "failed to decode managed fields");
  if (owners.size === 0) {
    const before: Writer = { ...writer, manager: "before-first-apply", operation: "Update" };
    return updateOwners({ kind, before: emptyObject(kind), after: live, owners, writer: before, time });
  }
  const typing = typingOf(kind.schema);
  return new Map(
    [...owners].map(([id, owner]) => [id, { ...owner, fields: reconcileFields(owner.fields, typing) }]),
  );
}

function ownedByAnyone(owners: Owners): FieldSet {
  return [...owners.values()].reduce<FieldSet>((all, { fields }) => union(all, fields), NO_FIELDS);
}

/** Removes what the manager had applied last, has not applied now, and nobody owns. */
function prune(typing: Typing, merged: unknown, last: FieldSet, owned: FieldSet): unknown {
  const named = (set: FieldSet) => withNamedFields(set, typing);
  const all = named(fieldsOf(typing, merged));
  const without = removeFields(typing, merged, named(last));
  const needed = union(named(fieldsOf(typing, without)), named(owned));
  const pruned = removeFields(typing, merged, difference(all, needed));
  // What stood below a removed field without being the manager's stays, and keeps what it stands in.
  const dangling = difference(all, named(fieldsOf(typing, pruned)));
  return removeFields(typing, merged, intersection(dangling, named(last)));
}

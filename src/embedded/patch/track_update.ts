import type { ManagedFields } from "../../kube/object.ts";
import type { Stored } from "../store/store.ts";
import { compare, comparisonOutside } from "./compare.ts";
import { difference, NO_FIELDS, union } from "./field_set.ts";
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
import { fieldsIn, NoElement, reconcileFields, typingOf } from "./typing.ts";

export interface UpdateToTrack {
  readonly kind: TrackedKind;
  /** As it is stored; undefined when this is its creation. */
  readonly before: Stored | undefined;
  /** What the client wants, with defaults, before admission. Its managedFields count, if it has any. */
  readonly after: Stored;
  /** Empty counts as `unknown`. */
  readonly manager: string;
  readonly apiVersion: string;
  readonly subresource?: string | undefined;
  /** Now, as managedFields writes it: whole seconds. */
  readonly time: string;
}

/** The object of a create, an update or a patch that is no apply, with managedFields that say who changed what. */
export function trackUpdate(update: UpdateToTrack): Stored {
  const { kind, before, after, manager, apiVersion, subresource, time } = update;
  const known = ownersBefore(update);
  // Somebody took all owners away: nothing is tracked until the first apply.
  if (before && known.size === 0) return withOwners(after, known);
  const writer: Writer = { manager: manager || "unknown", operation: "Update", apiVersion, subresource };
  try {
    const from = before ?? emptyObject(kind);
    const owners = updateOwners({ kind, before: from, after, owners: known, writer, time });
    return withOwners(after, owners);
  } catch (error) {
    // Like the API server, better no owners than wrong ones.
    if (error instanceof NoElement) return withOwners(after, new Map());
    throw error;
  }
}

function ownersBefore({ before, after, subresource }: UpdateToTrack): Owners {
  const given = after.metadata.managedFields;
  if (subresource === undefined) {
    if (isReset(given)) return new Map();
    const owners = decodeOwners(given);
    if (owners && owners.size > 0) return owners;
  }
  return decodeOwners(before?.metadata.managedFields) ?? new Map();
}

/** An empty list, or one empty entry, asks for all owners to be forgotten. */
function isReset(entries: readonly ManagedFields[] | undefined): boolean {
  if (entries === undefined || entries.length > 1) return false;
  return entries.every((entry) => Object.keys(entry).length === 0);
}

/** Moves what changed to the writer, and takes what went away from everybody. */
export function updateOwners(options: {
  readonly kind: TrackedKind;
  readonly before: unknown;
  readonly after: unknown;
  readonly owners: Owners;
  readonly writer: Writer;
  readonly time: string;
}): Owners {
  const { kind, before, after, owners, writer, time } = options;
  const typing = typingOf(kind.schema);
  const ignored = resetFields(kind, writer.subresource);
  const { removed, modified, added } = comparisonOutside(compare(typing, before, after), ignored);
  const changed = union(modified, added);
  const next = new Map<string, Owner>();
  for (const [identity, owner] of owners) {
    const kept = difference(difference(reconcileFields(owner.fields, typing), changed), removed);
    if (kept.size > 0) next.set(identity, { ...owner, fields: kept });
  }
  const own = difference(changed, UNTRACKED);
  if (own.size === 0 || scalesToZero(kind, writer, after)) return next;
  const identity = identityOf(writer);
  const last = next.get(identity);
  const fields = union(own, last?.fields ?? NO_FIELDS);
  next.set(identity, { ...writer, time: writer.subresource === "scale" ? last?.time : time, fields });
  return next;
}

/** A Scale has no zero, and no times: whoever scales to zero owns nothing, whoever scales does so at no time. */
function scalesToZero({ scale }: TrackedKind, { subresource }: Writer, after: unknown): boolean {
  if (subresource !== "scale" || !scale) return false;
  const path = scale.specReplicasPath.split(".").slice(1);
  return path.reduce((value, name) => fieldsIn(value)[name], after) === 0;
}

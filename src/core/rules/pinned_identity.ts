import { groupOf, type KubeObject } from "../../kube/object.ts";
import { err, ok, type Result } from "../../lib/result.ts";
import { someOf } from "../../lib/some_of.ts";
import { identityText } from "../../wire/identity.ts";
import { type Holder, holderText } from "../policy/identity.ts";
import { annotationOf } from "../reconcile/annotations.ts";
import type { Violation } from "../reconcile/violation.ts";

/** A volume, and the path that it is recorded under. */
export interface RecordedSource {
  readonly pvc: string;
  readonly sourcePath: string;
}

/** The identity that snapshots of an object have so far. */
export type PinnedIdentity = Holder & { readonly sources?: readonly RecordedSource[] };

/** With which somebody accepts another identity: its value is the new one, or several with commas between. */
const ACKNOWLEDGE = "acknowledge-identity-change";

/** The identity that an object records under: pinned when it was first resolved, and only changed knowingly. */
export function pinnedHolder(
  object: KubeObject,
  { wanted, pinned }: { readonly wanted: Holder; readonly pinned?: Holder | undefined },
  field: string,
): Result<Holder, Violation> {
  const after = holderText(wanted);
  const before = pinned ? holderText(pinned) : after;
  if (before === after || annotationOf(object, ACKNOWLEDGE) === after) return ok(wanted);
  return err(changed(object, { field, what: "identity", before: [before], after: [after] }));
}

/**
 * Volumes whose path would be another than the one that is pinned: it is part of the identity. Another holder that was
 * accepted leaves all snapshots behind anyway.
 */
export function pathsChanged(
  object: KubeObject,
  pinned: PinnedIdentity | undefined,
  { holder, sources }: { readonly holder: Holder; readonly sources: readonly RecordedSource[] },
  field: string,
): Violation | undefined {
  if (!pinned || holderText(pinned) !== holderText(holder)) return undefined;
  const paths = new Map((pinned.sources ?? []).map(({ pvc, sourcePath }) => [pvc, sourcePath] as const));
  const changes = sources.flatMap(({ pvc, sourcePath }) => {
    const path = paths.get(pvc);
    if (path === undefined || path === sourcePath) return [];
    return [
      { before: identityText({ ...holder, path }), after: identityText({ ...holder, path: sourcePath }) },
    ];
  });
  const accepted = `,${annotationOf(object, ACKNOWLEDGE) ?? ""},`;
  if (changes.every(({ after }) => accepted.includes(`,${after},`))) return undefined;
  const after = changes.map((one) => one.after);
  return changed(object, { field, what: "path", before: changes.map((one) => one.before), after });
}

interface Changed {
  readonly field: string;
  readonly what: string;
  readonly before: readonly string[];
  readonly after: readonly string[];
}

function changed(object: KubeObject, { field, what, before, after }: Changed): Violation {
  return {
    reason: "IdentityChanged",
    field,
    what: `the identity cannot become ${someOf(after)}`,
    why: `the snapshots so far are recorded as ${someOf(before)}, and none of them would be found`,
    fix: `Set the ${what} back, or accept the change with the annotation ${groupOf(object)}/${ACKNOWLEDGE}=${after.join(",")}`,
  };
}

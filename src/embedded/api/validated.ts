import { admit } from "../../kube/schema/admit.ts";
import type { Problem } from "../../kube/schema/problem.ts";
import type { CelEvaluator } from "../../kube/schema/rules.ts";
import type { Stored } from "../store/store.ts";
import { checkObjectMeta } from "./object_meta.ts";
import { invalid } from "./refusal.ts";
import type { Place } from "./target.ts";

export interface ValidateOptions {
  readonly cel: CelEvaluator;
  readonly warn: (text: string) => void;
  /** The stored object that this one replaces. */
  readonly old?: Stored;
}

/** The object, pruned and with defaults; or a Refusal with all that is wrong with it. */
export function validated(place: Place, object: Stored, { cel, warn, old }: ValidateOptions): Stored {
  const { kind } = place;
  // The schemas of built-in kinds have no rules, and may contain themselves.
  const admitted = admit(kind.schema, object, { ...(old && { old }), ...(kind.custom && { cel }) });
  const checked = admitted.object as Stored;
  const problems = [
    ...checkObjectMeta(checked, old, { custom: kind.custom, warn }),
    ...schemaProblems(place, admitted.problems),
    ...(kind.check?.(checked, old) ?? []),
  ];
  if (problems.length > 0) throw invalid(kind.resource, checked.metadata.name ?? "", problems);
  return checked;
}

/** Of lists with keys the server checks that each is there once, but not in its own kinds and in metadata. */
function schemaProblems({ kind, subresource }: Place, problems: readonly Problem[]): readonly Problem[] {
  if (!kind.custom) return problems.filter(({ reason }) => reason !== "FieldValueDuplicate");
  const own = problems.filter(
    ({ reason, field }) => reason !== "FieldValueDuplicate" || !field.startsWith("metadata."),
  );
  if (subresource !== "status") return own;
  // Of a status that is written on its own, messages name the fields from there.
  return own.map((problem) => ({ ...problem, message: problem.message.replace(": status.", ": ") }));
}

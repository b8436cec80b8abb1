import { ANNOTATIONS, type Mode, type RestoreMode } from "../../../kinds/plumber/words.ts";
import { valueIn } from "./identity_consent.ts";

/** In these, nothing that nobody knows denies a PVC: it does not wait for an operator that is away. */
const PASSING: readonly RestoreMode[] = ["audit", "permissive", "never"];

const listed = (words: readonly string[]) => `[${words.map((word) => `'${word}'`).join(", ")}]`;

/** In CEL: the mode of the PVC, or the operator's; and the one of its restore. */
function modesOf(fallback: Mode) {
  const [mode, restore] = [ANNOTATIONS.mode, ANNOTATIONS.restoreMode].map((key) =>
    valueIn("object", "annotations", key),
  );
  const own = `(${mode} == '' ? '${fallback}' : ${mode})`;
  return { own, restore: `(${restore} == '' ? ${own} : ${restore})` };
}

/**
 * Which PVCs the API server denies while nobody answers, and which pass: by the mode of their restore, and by strict,
 * which denies more than that. A mode that nobody understands is held. A PVC comes by one of both.
 */
export function heldOrNot(fallback: Mode) {
  const { own, restore } = modesOf(fallback);
  const passes = `${restore} in ${listed(PASSING)} && ${own} != 'strict'`;
  return [
    { prefix: "", onFailure: "deny", condition: { name: "held", expression: `!(${passes})` } },
    { prefix: "lenient-", onFailure: "allow", condition: { name: "not-held", expression: passes } },
  ] as const;
}

import type { Claim } from "../../../core/volumes/claim_request.ts";
import { ANNOTATIONS, LABELS, STATE_ANNOTATIONS } from "../../../kinds/plumber/words.ts";
import type { AdmissionRequest } from "../../../kube/admission/review.ts";
import { err, ok, type Result } from "../../../lib/result.ts";
import type { ParsedPvc } from "../policy/parse_pvc.ts";

/** Whether somebody may get the Backups of a namespace: who names its identity gets what is in them. */
export type MayUse = (user: AdmissionRequest["user"], namespace: string) => Promise<boolean>;

const KEY = STATE_ANNOTATIONS.allowedIdentity;

/** The PVC as it goes on, and whether it may use the backup identity of another namespace. */
interface Consented {
  readonly claim: Claim;
  readonly lent: boolean;
}

/**
 * The PVC with the operator's note of whether its author may use the backup identity of another namespace, which is
 * overwritten whatever stands there; or why not. In audit the note is missing then, and nothing is written.
 * `lent`: the operator has written down for this PVC that it may.
 */
export async function withIdentityConsent(
  claim: Claim,
  { lent, user }: { readonly lent: boolean; readonly user: AdmissionRequest["user"] },
  pvc: ParsedPvc,
  mayUse: MayUse,
): Promise<Result<Consented, string>> {
  const { identity, isForeign } = pvc;
  const { name, annotations = {} } = claim.metadata;
  const { [KEY]: written, ...others } = annotations;
  const noted = (note: object): Claim => ({
    ...claim,
    metadata: { ...claim.metadata, annotations: { ...others, ...note } },
  });
  const refused = { claim: written === undefined ? claim : noted({}), lent: false };
  if (!isForeign) return ok(refused);
  const may = lent || (await mayUse(user, identity.hostname));
  // What is lent is written down under the name of the PVC.
  if (may && name) return ok({ claim: noted({ [KEY]: identity.text }), lent: true });
  if (isAudited(pvc)) return ok(refused);
  return err(
    may
      ? "the API server is to make up the name of the PVC. Give the PVC a name."
      : `${user.username} ${MAY_NOT}`,
  );
}

export const MAY_NOT = "may not get Backups there. Have someone apply the PVC who may.";

/** Nothing is denied, and nothing is written. */
export const isAudited = ({ mode, restoreMode }: Pick<ParsedPvc, "mode" | "restoreMode">) =>
  mode === "audit" && restoreMode === "audit";

/** In CEL: the value, or nothing. */
export const valueIn = (object: string, part: "labels" | "annotations", key: string) =>
  `(has(${object}.metadata.${part}) && '${key}' in ${object}.metadata.${part} ? ${object}.metadata.${part}['${key}'] : '')`;

const CHANGES = [
  ...[LABELS.enabled, LABELS.manage].map((key) => ["labels", key] as const),
  ...[ANNOTATIONS.backupIdentity, ANNOTATIONS.mode, ANNOTATIONS.restoreMode, KEY].map(
    (key) => ["annotations", key] as const,
  ),
];

/** A PVC is looked at again only when somebody changes what the consent depends on: Kubernetes itself changes PVCs, too. */
export const CONSENT_CHANGES = {
  name: "new-or-another-identity",
  expression: `request.operation == 'CREATE' || ${CHANGES.map(
    ([part, key]) => `${valueIn("object", part, key)} != ${valueIn("oldObject", part, key)}`,
  ).join(" || ")}`,
};

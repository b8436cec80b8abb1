import type { Claim } from "../../../core/volumes/claim_request.ts";
import { ANNOTATIONS, LABELS, STATE_ANNOTATIONS } from "../../../kinds/plumber/words.ts";
import type { AdmissionRequest } from "../../../kube/admission/review.ts";
import { err, ok, type Result } from "../../../lib/result.ts";
import { type ParsedPvc, parsePvc } from "../policy/parse_pvc.ts";
import type { PlumberSettings } from "../settings.ts";

/** Whether somebody may get the Backups of a namespace: who names its identity gets what is in them. */
export type MayUse = (user: AdmissionRequest["user"], namespace: string) => Promise<boolean>;

const KEY = STATE_ANNOTATIONS.allowedIdentity;

/**
 * The PVC with the operator's note of whether its author may use the backup identity of another namespace, which is
 * overwritten whatever stands there; or why not. In audit the note is missing then, and nothing is written.
 */
export async function withIdentityConsent(
  claim: Claim,
  { old, user }: { readonly old: Claim | undefined; readonly user: AdmissionRequest["user"] },
  settings: PlumberSettings,
  mayUse: MayUse,
): Promise<Result<Claim, string>> {
  const pvc = parsePvc(claim, settings);
  const { identity } = pvc;
  const { namespace = "", annotations = {} } = claim.metadata;
  const isForeign = identity.hostname !== namespace;
  if (!isForeign && annotations[KEY] === undefined) return ok(claim);
  const kept = old !== undefined && wasJudged(old) && parsePvc(old, settings).identity.text === identity.text;
  const before = kept && old.metadata.annotations?.[KEY] === identity.text;
  const { [KEY]: _, ...others } = annotations;
  const noted = (note: object): Claim => ({
    ...claim,
    metadata: { ...claim.metadata, annotations: { ...others, ...note } },
  });
  if (!isForeign) return ok(noted({}));
  if (before || (await mayUse(user, identity.hostname))) return ok(noted({ [KEY]: identity.text }));
  return isAudited(pvc) ? ok(noted({})) : err(`${user.username} may not`);
}

/** Nothing is denied, and nothing is written. */
export const isAudited = ({ mode, restoreMode }: Pick<ParsedPvc, "mode" | "restoreMode">) =>
  mode === "audit" && restoreMode === "audit";

/** Notes on a PVC that never came by here are of somebody else. */
function wasJudged({ metadata: { labels = {} } }: Claim): boolean {
  return labels[LABELS.enabled] === "true" && labels[LABELS.manage] === "true";
}

const valueIn = (object: string, part: "labels" | "annotations", key: string) =>
  `(has(${object}.metadata.${part}) && '${key}' in ${object}.metadata.${part} ? ${object}.metadata.${part}['${key}'] : '')`;

const CHANGES = [
  ...[LABELS.enabled, LABELS.manage].map((key) => ["labels", key] as const),
  ...[ANNOTATIONS.backupIdentity, ANNOTATIONS.mode, ANNOTATIONS.restoreMode, KEY].map(
    (key) => ["annotations", key] as const,
  ),
];

/** A PVC is looked at again only when somebody changes what the note depends on: Kubernetes itself changes PVCs, too. */
export const CONSENT_CHANGES = {
  name: "new-or-another-identity",
  expression: `request.operation == 'CREATE' || ${CHANGES.map(
    ([part, key]) => `${valueIn("object", part, key)} != ${valueIn("oldObject", part, key)}`,
  ).join(" || ")}`,
};

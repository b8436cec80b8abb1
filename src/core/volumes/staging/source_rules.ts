import { keyOf } from "../../../kube/object.ts";
import { err, ok, type Result } from "../../../lib/result.ts";
import type { Claim } from "../claim_request.ts";
import { HIDDEN, type ObservedSource } from "./observed_staging.ts";
import { type RefusedStaging, refused, type WaitingStaging, waiting } from "./staging_decision.ts";
import type { StagingRequest } from "./staging_request.ts";

export type Objection = WaitingStaging | RefusedStaging;
type Rule = (
  claim: Claim,
  about: { readonly request: StagingRequest; readonly observed: ObservedSource },
) => Objection | undefined;

const RULES: readonly Rule[] = [notDeleted, notLost, withFiles, bound, ofDriver];

/** A source whose volume can be read. */
export type ReadableSource = ObservedSource & { readonly claim: Claim };

/** The source; or why nothing can be read from it, or not yet. */
export function readable(
  request: StagingRequest,
  observed: ObservedSource,
): Result<ReadableSource, Objection> {
  const { claim } = observed;
  if (!claim) {
    const message = `PersistentVolumeClaim ${keyOf(request.source)} does not exist. Create it, or correct the sources.`;
    return err(waiting("SourceNotFound", message));
  }
  for (const rule of RULES) {
    const objection = rule(claim, { request, observed });
    if (objection) return err(objection);
  }
  return ok({ ...observed, claim });
}

function notDeleted(claim: Claim): Objection | undefined {
  if (!claim.metadata.deletionTimestamp) return undefined;
  return refused(
    "structural",
    "SourceDeleted",
    `PersistentVolumeClaim ${keyOf(claim)} is being deleted: nothing new can use it. Create it again, or correct the sources.`,
  );
}

function notLost(claim: Claim): Objection | undefined {
  if (claim.status?.phase !== "Lost") return undefined;
  return refused(
    "structural",
    "SourceLost",
    `PersistentVolumeClaim ${keyOf(claim)} has lost its volume ${claim.spec?.volumeName ?? ""}. Bring the volume back, or restore the claim from a backup.`,
  );
}

function withFiles(claim: Claim): Objection | undefined {
  if (claim.spec?.volumeMode !== "Block") return undefined;
  return refused(
    "terminal",
    "BlockVolume",
    `PersistentVolumeClaim ${keyOf(claim)} is a raw block device, and only files can be backed up. Take it out of the sources.`,
  );
}

function bound(claim: Claim, { observed: { volume } }: Parameters<Rule>[1]): Objection | undefined {
  if (claim.status?.phase === "Bound" && volume) return undefined;
  const why = claim.spec?.volumeName
    ? `is not bound to its volume ${claim.spec.volumeName} yet`
    : "has no volume yet";
  return waiting(
    "SourceNotBound",
    `PersistentVolumeClaim ${keyOf(claim)} ${why}, so that there is nothing to read. It goes on once the claim is bound; some claims are only bound when a pod first uses them.`,
  );
}

/** Copies are made by CSI drivers alone. */
function ofDriver(claim: Claim, { request, observed }: Parameters<Rule>[1]): Objection | undefined {
  const { volume } = observed;
  if (request.method === "Direct" || volume === HIDDEN || volume?.spec?.csi) return undefined;
  return refused(
    "structural",
    "NotACsiVolume",
    `The volume of PersistentVolumeClaim ${keyOf(claim)} belongs to no CSI driver, and only those can copy one. Use the copy method Direct, or move the data to a volume of a CSI driver.`,
  );
}

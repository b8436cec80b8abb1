import { keyOf } from "../../../kube/object.ts";
import { err, ok, type Result } from "../../../lib/result.ts";
import type { Claim } from "../claim_request.ts";
import { HIDDEN, type ObservedSource } from "./observed_staging.ts";
import { type RefusedStaging, refused, type WaitingStaging, waiting } from "./staging_decision.ts";
import type { StagingRequest } from "./staging_request.ts";

export type Objection = WaitingStaging | RefusedStaging;
type Rule = (
  claim: Claim,
  about: {
    readonly request: Pick<StagingRequest, "method">;
    readonly observed: Pick<ObservedSource, "volume">;
  },
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

/** Why no backup can ever read a source, whenever it is made; undefined where none is known of. */
export function lastingObjection(
  request: Pick<StagingRequest, "method">,
  { claim, volume }: Pick<ObservedSource, "claim" | "volume">,
): RefusedStaging | undefined {
  if (!claim) return undefined;
  const about = { request, observed: { volume } };
  return withFiles(claim) ?? (volume ? ofDriver(claim, about) : undefined);
}

/** What speaks against capturing a source that is not captured yet: whatever was made for that is of no use. */
export function captureObjection({
  source,
  claim,
}: Pick<ObservedSource, "source" | "claim">): RefusedStaging | undefined {
  const { uid, hold } = source;
  const what = `PersistentVolumeClaim ${keyOf(source)}`;
  if (uid !== undefined && !claim) {
    const message = `${what} was deleted after this backup had been created, and before it was captured. To back up a claim that is made anew, create another backup.`;
    return refused("terminal", "SourceGone", message);
  }
  if (uid !== undefined && claim?.metadata.uid !== uid) {
    const message = `${what} is not the one that was there when this backup was created: that was deleted before it was captured, and another one has its name, which need not hold its data. To back up that one, create another backup.`;
    return refused("terminal", "SourceReplaced", message);
  }
  return hold && refused("structural", hold.reason, hold.message);
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

function withFiles(claim: Claim): RefusedStaging | undefined {
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
function ofDriver(claim: Claim, { request, observed }: Parameters<Rule>[1]): RefusedStaging | undefined {
  const { volume } = observed;
  if (request.method === "Direct" || volume === HIDDEN || volume?.spec?.csi) return undefined;
  return refused(
    "structural",
    "NotACsiVolume",
    `The volume of PersistentVolumeClaim ${keyOf(claim)} belongs to no CSI driver, and only those can copy one. Use the copy method Direct, or move the data to a volume of a CSI driver.`,
  );
}

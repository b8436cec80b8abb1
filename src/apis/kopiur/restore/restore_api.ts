import type { RestoreApi } from "../../../core/restore/restore.ts";
import { SCALED_WORKLOADS } from "../../../kinds/kopiur/finalizers.ts";
import { restoreResource } from "../../../kinds/kopiur/generated/restore.ts";
import { pathLimits, restoreLimits, snapshotLimit } from "../rules/restore_limits.ts";
import { withSizeTexts } from "../size_texts.ts";

/** What is true of all Restores of this API. */
export const RESTORES: RestoreApi = {
  resource: restoreResource,
  finalizer: SCALED_WORKLOADS,
  words: {
    snapshot: "source.identity.snapshotID",
    moment: "asOf",
    point: "asOf and offset",
    startEmpty: "policy.onMissingSnapshot: Continue",
    newClaim: "target.pvc",
    existingClaim: "target.pvcRef",
    scaleDown: "target.pvcRef.scaleDownWorkloads: true",
    scaleUpOnFailure: "target.pvcRef.onFailure: ScaleUp",
    confirmDeletion: "options.confirmDeletion: true",
    privileges: "privilegedMode",
    losses: "status.losses",
    scaledWorkloads: "status.scaledWorkloads",
    tryAgain: "edit it, or run holdfast retry, to have it tried again",
  },
  limit: (spec, engine, fidelity) =>
    pathLimits(spec)[0] ?? restoreLimits(spec, engine)[0] ?? snapshotLimit(spec, engine, fidelity),
  shown: withSizeTexts,
};

import { CONDITIONS } from "../../../core/reconcile/condition_types.ts";
import type { Problem } from "../../../core/reconcile/problem.ts";
import { cut } from "../../../core/reconcile/task_words.ts";
import { endedAs } from "../../../core/restore/ended_as.ts";
import type { Restore, RestoreApi, RestoreState } from "../../../core/restore/restore.ts";
import { unsettledRestore } from "../../../core/restore/unsettled_restore.ts";
import { durationText } from "../../../core/view/times_text.ts";
import { SCALED_WORKLOADS } from "../../../kinds/autorestore/finalizers.ts";
import {
  type ResticRestore,
  type ResticRestoreStatus,
  resticRestoreResource,
} from "../../../kinds/autorestore/generated/restic_restore.ts";
import type { KubeObject } from "../../../kube/object.ts";
import type { Resource } from "../../../kube/resource.ts";
import { defined } from "../../../lib/defined.ts";

const WAY_OUT =
  "The workloads of the PVC stay at zero until then. To start them without the data, delete this ResticRestore.";

/** What is true of all ResticRestores. */
export const RESTORES: RestoreApi = {
  resource: resticRestoreResource as unknown as Resource<Restore>,
  finalizer: SCALED_WORKLOADS,
  words: {
    snapshot: "snapshotID",
    moment: "snapshotID",
    point: "backupTarget and snapshotID",
    startEmpty: "continueWithoutSnapshot: true",
    newClaim: "targetPVC",
    existingClaim: "targetPVC",
    scaleDown: "stopPods: true",
    scaleUpOnFailure: "nothing: they come back",
    confirmDeletion: "nothing: it deletes none",
    privileges: "privilegedMover in the ResticRepository",
    losses: "status.state.losses",
    scaledWorkloads: "status.scaledWorkloads",
    wayOut: WAY_OUT,
  },
  limit: () => undefined,
};

const TRIES = { backoffLimit: 2, activeDeadlineSeconds: 86_400 };
/** One more than it takes until a storage that does not answer is waited for: no volume is given up half filled for that. */
const PATIENT = { backoffLimit: 3, activeDeadlineSeconds: 604_800 };

/** A volume that must not be used empty is kept from its workload for as long as its repository does not answer. */
const WITHOUT_END = "87600h";
const AN_HOUR = "1h";

const MEANT = { Pending: "Pending", Running: "Restoring", Completed: "Completed", Failed: "Failed" } as const;

/** A ResticRestore as the engine room knows restores. */
export function coreRestore({ status, spec, ...object }: ResticRestore): Restore {
  const { targetPVC, stopPods, onlyIfEmpty, additionalRestoreArgs } = spec;
  return {
    ...object,
    spec: {
      target: {
        pvcRef: {
          name: targetPVC,
          scaleDownWorkloads: stopPods,
          holdWorkloads: stopPods && onlyIfEmpty,
          // This API's workloads come back after failure, too.
          onFailure: "ScaleUp",
        },
      },
      options: {
        existingFiles: onlyIfEmpty ? "Refuse" : "Overwrite",
        enableFileDeletion: false,
        writeFilesAtomically: true,
        sparse: true,
        ignorePermissionErrors: true,
        ...(additionalRestoreArgs ? { extraArgs: additionalRestoreArgs } : {}),
      },
      policy: { waitTimeout: onlyIfEmpty ? WITHOUT_END : AN_HOUR },
      failurePolicy: onlyIfEmpty ? PATIENT : TRIES,
    },
    ...(status ? { status: coreState(status) } : {}),
    // Failed is final.
    ...(status?.phase === "Failed" ? { endedAs: endedAs(coreState(status)) } : {}),
  };
}

function coreState(status: ResticRestoreStatus): RestoreState {
  const { phase, scaledWorkloads, observedGeneration, conditions, work, state } = status;
  return {
    ...(phase ? { phase: MEANT[phase] } : {}),
    ...(state as RestoreState | undefined),
    ...defined({ scaledWorkloads, observedGeneration, conditions, work }),
  };
}

/** The status of a restore, under the names of this API. */
export function shownRestore(core: RestoreState): ResticRestoreStatus {
  const { observedGeneration, conditions, work, scaledWorkloads, ...state } = core;
  const { startTime, endTime, durationSeconds } = core.timing ?? {};
  const { noSnapshot, snapshotID } = core.resolved ?? {};
  const phase = shownPhase(core.phase);
  const ready = conditions?.find(({ type }) => type === "Ready");
  const restoredSize = core.progress?.bytesRestored;
  return {
    phase,
    ...(phase === "Completed" ? { result: noSnapshot ? "NoSnapshot" : "Restored" } : {}),
    ...defined({ startTime, completionTime: endTime, snapshotID, restoredSize, scaledWorkloads }),
    ...(durationSeconds === undefined ? {} : { duration: durationText(durationSeconds * 1000) }),
    ...(phase === "Failed" && ready ? { error: cut(errorText(ready.message, core), 1024) } : {}),
    ...defined({ observedGeneration, conditions, work }),
    state: state as Record<string, unknown>,
  } as ResticRestoreStatus;
}

/** Workloads come back after a failure: what they find in the volume is said with it. */
function errorText(message: string, { conditions }: RestoreState): string {
  const incomplete = conditions?.find(
    ({ type, status }) => type === CONDITIONS.targetIncomplete && status === "True",
  );
  return incomplete ? `${message} ${incomplete.message}` : message;
}

function shownPhase(phase: RestoreState["phase"]): ResticRestoreStatus["phase"] {
  if (phase === "Completed" || phase === "Failed") return phase;
  return phase === "Restoring" ? "Running" : "Pending";
}

/** What keeps a restore from its repository keeps workloads down that wait for the data. */
export function withWayOut({ spec }: ResticRestore, problem: Problem): Problem {
  if (!spec.onlyIfEmpty || !spec.stopPods) return problem;
  return { ...problem, message: `${problem.message} ${WAY_OUT}` };
}

/** The restore that has left a PVC without its data. `restores`: all of them into a PVC of this name. */
export function unsettled(restores: readonly ResticRestore[], claim: KubeObject): string | undefined {
  return unsettledRestore(restores.map(coreRestore), claim)?.metadata.name;
}

/** A snapshot of it would be taken for the data, and push the good ones out. */
export function unsettledText(claim: string, restore: string): string {
  return `ResticRestore ${restore} failed, so PersistentVolumeClaim ${claim} lacks data that it should have. The operator makes no backup of it. Restore into it again with the annotation manual-restore; or, to back it up as it is, delete the ResticRestore.`;
}

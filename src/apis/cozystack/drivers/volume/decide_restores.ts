import type { Claim } from "../../../../core/volumes/claim_request.ts";
import { claimsOfApplication } from "../../../../core/volumes/claims_of_application.ts";
import { KEEPS_DOWN } from "../../../../core/workloads/scaling/scaling_marks.ts";
import { type RestoreJob, restoreJobResource } from "../../../../kinds/cozystack/generated/restore_job.ts";
import type { Volume } from "../../../../kinds/cozystack/generated/volume.ts";
import { type Restore, restoreResource } from "../../../../kinds/kopiur/generated/restore.ts";
import { type KubeObject, keyOf } from "../../../../kube/object.ts";
import { ownerReference } from "../../../../kube/write/owners.ts";
import { fingerprint } from "../../../../lib/hash.ts";
import { objectName } from "../../../../lib/names.ts";
import { applicationLabels, withGroup } from "../../core/resolve_class.ts";
import type { DriverIntent, RestoreWork, Step } from "../driver.ts";
import { toAnother } from "../template_data.ts";
import { claimRules } from "./decide_volumes.ts";
import {
  type DriverDraft,
  failed,
  lossesText,
  MADE_FOR,
  madeFor,
  type NativeObjects,
  whyOf,
} from "./native_objects.ts";
import { copyName, METADATA, readRecords, type VolumeRecord } from "./volume_record.ts";

export interface ObservedRestores {
  readonly work: RestoreWork<Volume>;
  readonly claims: readonly Claim[];
  readonly native: NativeObjects;
}

/** What a restore of volumes needs next: a Restore of the native API for each of them. */
export function decideRestores({ work, claims, native }: ObservedRestores): Step {
  const { backup, targetNamespace: namespace, object } = work;
  const from = backup.spec.driverMetadata?.[METADATA.backup];
  const records = readRecords(backup.spec.driverMetadata?.[METADATA.volumes]);
  if (from === undefined || !records) {
    return failed(
      "MetadataMissing",
      `Backup ${backup.metadata.name} does not say which volumes it holds: its driverMetadata lacks ${METADATA.backup} or ${METADATA.volumes}.`,
    );
  }
  const refusal = refusalOf(work, records);
  if (refusal) return failed("TargetUnsupported", refusal);
  const wanted = records.map((record) => ({ record, name: restoreName(object, record) }));
  const missing = wanted.filter(({ name }) => !native.restore(keyOf({ namespace, name })));
  if (missing.length > 0) {
    const taken = takenClaim(work, missing, claims);
    if (taken) return failed("TargetTaken", taken);
    const together = records.length > 1;
    const intents = missing.map(({ record, name }): DriverIntent => {
      const draft = restoreDraft(work, { record, name, from, claims, together });
      return { type: "Ensure", resource: restoreResource, draft };
    });
    return { type: "Running", message: `Restoring ${records.length} volumes.`, intents };
  }
  const restores = wanted.flatMap(({ name }) => native.restore(keyOf({ namespace, name })) ?? []);
  const foreign = restores.find(({ metadata }) => metadata.annotations?.[MADE_FOR] !== object.metadata.uid);
  if (foreign) {
    return failed(
      "NameTaken",
      `Restore ${foreign.metadata.name} of the native API belongs to something else.`,
    );
  }
  const going = restores.filter(({ status }) => status?.phase !== "Completed" && status?.phase !== "Failed");
  const [next] = going;
  if (next) {
    const ended = restores.length - going.length;
    const why = whyOf(next) || "Waiting for the restore to begin.";
    return { type: "Running", message: `${ended} of ${restores.length} volumes are restored. ${why}` };
  }
  const broken = restores.find(({ status }) => status?.phase === "Failed");
  if (broken) {
    const why = `Restore ${broken.metadata.name} of the native API failed: ${whyOf(broken)}`;
    return failed("RestoreFailed", restores.some(keepsDown) ? `${why} ${STAY_DOWN}` : why);
  }
  const released = [...restores.filter(keepsDown), ...madeUpFor(restores, native.keepingDown(namespace))];
  if (released.length > 0) {
    const intents = released.map((object): DriverIntent => {
      return { type: "Unmark", resource: restoreResource, object, annotation: KEEPS_DOWN };
    });
    return { type: "Running", message: "Bringing back the workloads that were scaled down.", intents };
  }
  const text = restores.length === 1 ? "1 volume is" : `${restores.length} volumes are`;
  const losses = restores.flatMap(({ status }) => status?.losses ?? []);
  const message = [`${text} restored.`, lossesText("Not brought back", losses)].filter(Boolean).join(" ");
  return { type: "Succeeded", message };
}

const STAY_DOWN =
  "The workloads that were scaled down stay down until another RestoreJob into these volumes succeeds, or this one is deleted.";

function keepsDown({ metadata }: Restore): boolean {
  return metadata.annotations?.[KEEPS_DOWN] !== undefined;
}

/** Of those that still keep workloads down for jobs that failed: what was restored into the same volumes. */
function madeUpFor(restores: readonly Restore[], others: readonly Restore[]): readonly Restore[] {
  const claimOf = ({ spec }: Restore) => spec.target?.pvcRef?.name;
  const whole = new Set(restores.map(claimOf));
  const uids = new Set(restores.map(({ metadata }) => metadata.uid));
  return others.filter(
    (one) =>
      !uids.has(one.metadata.uid) &&
      (one.status?.phase === "Completed" || one.status?.phase === "Failed") &&
      claimOf(one) !== undefined &&
      whole.has(claimOf(one)),
  );
}

/** Why the volumes cannot have names of their own in the target: one would be written into another. */
function refusalOf(work: RestoreWork<Volume>, records: readonly VolumeRecord[]): string | undefined {
  const { applicationRef, backup, namespace, targetNamespace } = work;
  const { kind, name } = withGroup(backup.spec.applicationRef);
  const target = `${applicationRef.kind} ${applicationRef.name}`;
  if (toAnother(work) && applicationRef.name === name && targetNamespace === namespace) {
    return `The PVCs of ${target} would have the names of those of ${kind} ${name}, and be written over. Name an application that is called otherwise.`;
  }
  const copies = records.map((record) => copyName(record.name, name, applicationRef.name));
  const twice = copies.find((copy, index) => copies.indexOf(copy) !== index);
  return twice === undefined
    ? undefined
    : `Two PVCs of ${kind} ${name} would be called ${twice} in ${target}. Name an application that is called otherwise.`;
}

/** Why PVCs that are there may not be written over: in another place than that of the backup they may be anyone's. */
function takenClaim(
  work: RestoreWork<Volume>,
  wanted: readonly { readonly record: VolumeRecord }[],
  claims: readonly Claim[],
): string | undefined {
  const { application, applicationRef, backup, namespace, targetNamespace, strategy } = work;
  if (!toAnother(work) && namespace === targetNamespace) return undefined;
  const { apiGroup, kind, name } = applicationRef;
  const original = withGroup(backup.spec.applicationRef).name;
  const written = new Set(wanted.map(({ record }) => copyName(record.name, original, name)));
  const present = claims.filter(({ metadata }) => written.has(metadata.name));
  const rules = claimRules(work, "restore");
  // One that is not there has no PVCs but those that say so.
  const target = application ?? {
    apiVersion: apiGroup,
    kind,
    metadata: { name, namespace: targetNamespace },
  };
  const own = claimsOfApplication(target as KubeObject, present, rules.ok ? rules.value : {});
  const made = Object.entries(applicationLabels(applicationRef));
  const other = present.find(
    (claim) => !own.includes(claim) && !made.every(([label, of]) => claim.metadata.labels?.[label] === of),
  );
  return (
    other &&
    `PVC ${targetNamespace}/${other.metadata.name} exists and does not belong to ${kind} ${name}: it would be written over. Name another application, or delete the PVC. If it is one of ${kind} ${name}, label it as the Volume ${strategy.metadata.name} asks.`
  );
}

/** As its own as the job is: another job may have a part of this one's name. */
function restoreName({ metadata }: KubeObject, { name }: VolumeRecord): string {
  return objectName(metadata.name, name, fingerprint(metadata.uid, 6));
}

interface RestorePlan {
  readonly record: VolumeRecord;
  readonly name: string;
  /** The Backup of the native API. */
  readonly from: string;
  readonly claims: readonly Claim[];
  /** There are others. */
  readonly together: boolean;
}

/** A PVC that is there is written over, as its strategy says; one that is not is made anew. */
function restoreDraft(work: RestoreWork<Volume>, plan: RestorePlan): DriverDraft {
  const { record, name, from, claims, together } = plan;
  const { object, namespace, targetNamespace, applicationRef, backup, strategy } = work;
  const isHere = namespace === targetNamespace;
  const { scaleDownWorkloads, deleteOtherFiles } = strategy.spec.restore;
  const original = withGroup(backup.spec.applicationRef).name;
  const claim = copyName(record.name, original, applicationRef.name);
  const exists = claims.some(({ metadata }) => metadata.name === claim);
  const labels = {
    ...Object.fromEntries(Object.keys(record.labels ?? {}).map((label) => [label, applicationRef.name])),
    ...applicationLabels(applicationRef),
  };
  const made = {
    name: claim,
    capacity: record.capacity,
    ...(record.modes ? { accessModes: record.modes } : {}),
    ...(record.class ? { storageClassName: record.class } : {}),
    labels,
  };
  return {
    metadata: {
      name,
      namespace: targetNamespace,
      annotations: {
        ...madeFor("RestoreJob", object),
        // No workload starts before all of its volumes are whole.
        ...(exists && together && scaleDownWorkloads ? { [KEEPS_DOWN]: "true" } : {}),
      },
      // Nothing can belong to an object of another namespace.
      ...(isHere ? { ownerReferences: [ownedBy(object, namespace)] } : {}),
    },
    spec: {
      source: { backupRef: { name: from, pvc: record.name, ...(isHere ? {} : { namespace }) } },
      // The RestoreJob says what is to become of the volumes; nobody would delete another Backup of them.
      target: exists ? { pvcRef: { name: claim, scaleDownWorkloads, backupFirst: false } } : { pvc: made },
      ...(exists ? { options: { enableFileDeletion: deleteOtherFiles } } : {}),
      ...(strategy.spec.mover ? { mover: strategy.spec.mover } : {}),
    },
  } as object as DriverDraft;
}

function ownedBy(object: RestoreJob, namespace: string) {
  return ownerReference({
    owner: { resource: restoreJobResource, object },
    dependent: { resource: restoreResource, namespace },
    blockOwnerDeletion: false,
  });
}

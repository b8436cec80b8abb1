import type { TypedLocalObjectReference } from "kubernetes-types/core/v1.d.ts";
import { PersistentVolumeClaims } from "../../../kube/builtin.ts";
import { type Draft, keyOf } from "../../../kube/object.ts";
import { err, ok, type Result } from "../../../lib/result.ts";
import { byteQuantity } from "../../policy/byte_quantity.ts";
import type { AccessMode, Claim } from "../claim_request.ts";
import { HIDDEN, type ObservedSource, visible } from "./observed_staging.ts";
import { type VolumeSnapshot, VolumeSnapshots } from "./snapshot_kinds.ts";
import type { ReadableSource } from "./source_rules.ts";
import { stagedMeta, stagedName } from "./staged_marks.ts";
import { type RefusedStaging, refused } from "./staging_decision.ts";
import type { StagingRequest } from "./staging_request.ts";

/** The copy of a source: from a snapshot of it, or without one as its clone. */
export function copyDraft(
  request: StagingRequest,
  observed: ReadableSource,
  snapshot?: VolumeSnapshot,
): Result<Draft<Claim>, RefusedStaging> {
  const { owner, source, labels } = request;
  const storageClassName = copyClassName(request, observed.claim);
  const objection = classObjection(request, observed, storageClassName);
  if (objection) return err(objection);
  const retained = visible(observed.storageClass)?.reclaimPolicy === "Retain";
  const name = stagedName(owner, source, "copy");
  return ok({
    metadata: stagedMeta({
      owner,
      namespace: source.namespace,
      name,
      of: source.name,
      labels,
      held: retained,
    }),
    spec: {
      accessModes: [...copyAccessModes(request, observed, snapshot)],
      resources: { requests: { storage: copySize(observed.claim, snapshot) } },
      storageClassName,
      volumeMode: "Filesystem",
      dataSource: snapshot ? ofSnapshot(snapshot) : { kind: PersistentVolumeClaims.kind, name: source.name },
    },
  });
}

/** The class that the copy will have; empty where the source has none. */
export function copyClassName({ storageClassName }: StagingRequest, claim: Claim): string {
  return storageClassName ?? claim.spec?.storageClassName ?? "";
}

function ofSnapshot({ metadata }: VolumeSnapshot): TypedLocalObjectReference {
  return { apiGroup: VolumeSnapshots.group, kind: VolumeSnapshots.kind, name: metadata.name };
}

function classObjection(
  { source }: StagingRequest,
  { storageClass, volume }: ObservedSource,
  name: string,
): RefusedStaging | undefined {
  if (name === "") {
    return refused(
      "structural",
      "StorageClassMissing",
      `PersistentVolumeClaim ${keyOf(source)} has no storage class, and a copy of its volume needs one. Name a storage class for the copies, of the same driver.`,
    );
  }
  if (storageClass === HIDDEN) return undefined;
  if (!storageClass) {
    return refused(
      "structural",
      "StorageClassNotFound",
      `StorageClass ${name} does not exist, so that PersistentVolumeClaim ${keyOf(source)} cannot be copied. Create it, or name another one for the copies.`,
    );
  }
  const driver = visible(volume)?.spec?.csi?.driver;
  if (driver === undefined || storageClass.provisioner === driver) return undefined;
  return refused(
    "structural",
    "StorageClassMismatch",
    `StorageClass ${name} is of ${storageClass.provisioner}, and PersistentVolumeClaim ${keyOf(source)} is on a volume of the driver ${driver}, which alone can copy it. Name a class of that driver for the copies.`,
  );
}

/**
 * Drivers that give a read-only view of a snapshot at once, and would copy every file for anything else: the names
 * of CephFS' driver end like this, whatever its operator prefixes.
 */
const READ_ONLY_VIEWS = /(^|\.)cephfs\.csi\.ceph\.com$/;

function copyAccessModes(
  { accessModes }: StagingRequest,
  { claim, volume }: ReadableSource,
  snapshot: VolumeSnapshot | undefined,
): readonly string[] {
  if (accessModes && accessModes.length > 0) return accessModes;
  if (snapshot && READ_ONLY_VIEWS.test(visible(volume)?.spec?.csi?.driver ?? "")) return ["ReadOnlyMany"];
  const own = (claim.spec?.accessModes ?? []) as readonly AccessMode[];
  // Nobody but the mover uses the copy, and not every driver knows volumes of one pod.
  return own.length === 0 || own.includes("ReadWriteOncePod") ? ["ReadWriteOnce"] : own;
}

/** The largest that anybody knows: drivers refuse a copy that is smaller than its origin. */
function copySize({ spec, status }: Claim, snapshot: VolumeSnapshot | undefined): string {
  const sizes = [
    snapshot?.status?.restoreSize,
    status?.capacity?.storage,
    spec?.resources?.requests?.storage,
  ].filter((size): size is string => size !== undefined);
  return sizes.toSorted((a, b) => (byteQuantity(b) ?? 0) - (byteQuantity(a) ?? 0))[0] ?? "0";
}

import { durationMs } from "../../../core/policy/duration.ts";
import { stagedName } from "../../../core/volumes/staging/staged_marks.ts";
import type { CaptureHold, GroupRequest } from "../../../core/volumes/staging/staging_request.ts";
import { type Backup, backupResource } from "../../../kinds/kopiur/generated/backup.ts";
import { PersistentVolumeClaims } from "../../../kube/builtin.ts";
import { type ObjectKey, parseKey } from "../../../kube/object.ts";
import { ownerReference } from "../../../kube/write/owners.ts";
import type { Frozen } from "./frozen.ts";

const DEFAULT_TIMEOUT = "10m";

/** Why claims are not to be captured now, each under the name that a Backup has for it. */
export type CaptureHolds = ReadonlyMap<string, CaptureHold>;

/** How the volumes of a Backup become something that its mover can read. `since`: milliseconds since 1970. */
export function stagingRequest(
  backup: Backup,
  { sources, recipe }: Frozen,
  since = 0,
  holds: CaptureHolds = new Map(),
): GroupRequest {
  const { namespace = "" } = backup.metadata;
  const { staging } = recipe;
  const reference = ownerReference({
    owner: { resource: backupResource, object: backup },
    dependent: { resource: PersistentVolumeClaims, namespace },
    blockOwnerDeletion: false,
  });
  return {
    // What was frozen without a word about it was frozen when there was but this.
    method: recipe.copyMethod ?? "Direct",
    groupBy: recipe.groupBy ?? "None",
    owner: { reference, namespace },
    sources: sources.map(({ pvc, uid }) => {
      const { name } = parseKey(pvc as ObjectKey);
      return { namespace, name, uid, hold: holds.get(pvc) };
    }),
    snapshotClassName: recipe.volumeSnapshotClassName,
    groupSnapshotClassName: recipe.volumeGroupSnapshotClassName,
    storageClassName: staging?.storageClassName,
    accessModes: staging?.accessModes,
    deadline: since + durationMs(staging?.timeout ?? DEFAULT_TIMEOUT),
  };
}

/** The claim that a mover mounts for a source, which is named as `namespace/name`. */
export function mountedClaim({ method, owner }: GroupRequest, source: string): string {
  const { namespace = "", name } = parseKey(source as ObjectKey);
  return method === "Direct" ? name : stagedName(owner, { namespace, name }, "copy");
}

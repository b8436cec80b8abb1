import { PersistentVolumeClaims } from "../../kube/builtin.ts";
import { type ObjectKey, parseKey } from "../../kube/object.ts";
import { ownerReference } from "../../kube/write/owners.ts";
import { durationMs } from "../policy/duration.ts";
import type { RunOwner } from "../reconcile/run_owner.ts";
import { stagedName } from "../volumes/staging/staged_marks.ts";
import type { CaptureHold, GroupRequest } from "../volumes/staging/staging_request.ts";
import type { BackupPlan } from "./plan.ts";

const DEFAULT_TIMEOUT = "10m";

/** Why claims are not to be captured now, each under the name that a plan has for it. */
export type CaptureHolds = ReadonlyMap<string, CaptureHold>;

/** How the volumes of a backup become something that its mover can read. `since`: milliseconds since 1970. */
export function captureRequest(
  owner: RunOwner,
  { sources, settings }: BackupPlan,
  since = 0,
  holds: CaptureHolds = new Map(),
): GroupRequest {
  const { namespace = "" } = owner.object.metadata;
  const { staging } = settings;
  const reference = ownerReference({
    owner,
    dependent: { resource: PersistentVolumeClaims, namespace },
    blockOwnerDeletion: false,
  });
  return {
    // A plan without a word about it was made when there was but this.
    method: settings.copyMethod ?? "Direct",
    groupBy: settings.groupBy ?? "None",
    owner: { reference, namespace },
    sources: sources.map(({ pvc, uid }) => {
      const { name } = parseKey(pvc as ObjectKey);
      return { namespace, name, uid, hold: holds.get(pvc) };
    }),
    snapshotClassName: settings.volumeSnapshotClassName,
    groupSnapshotClassName: settings.volumeGroupSnapshotClassName,
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

import { ANNOTATIONS } from "../../../kinds/kopiur/annotations.ts";
import { backupResource } from "../../../kinds/kopiur/generated/backup.ts";
import { KINDS } from "../../../kinds/kopiur/kinds.ts";
import { lookAtWriters } from "../../../kube/adoption/look_at_adoption.ts";
import { writeText } from "../../../kube/adoption/other_writers.ts";
import type { CallOptions } from "../../../kube/client.ts";
import { resourceName } from "../../../kube/resource.ts";
import { annotateAll } from "../../../kube/write/annotate_all.ts";
import { type Release, removeCrds, sortCrds } from "../../../kube/write/remove_crds.ts";
import type { KopiurLeaving } from "./let_go_of_kopiur.ts";

/** Backups first: once their CRD goes, nobody makes one that has not been told of. */
const RESOURCES = [
  backupResource,
  ...KINDS.map(({ resource }) => resource).filter(({ plural }) => plural !== backupResource.plural),
];

/**
 * The CRDs of the release go, and every object with them. No other operator may take that for a wish to delete backups:
 * one of another release is told by each Backup that its snapshots stay, and where somebody else's is at work, so do
 * the CRDs.
 */
export async function takeCrdsAlong(
  { client, clock, log, adopt }: Pick<KopiurLeaving, "client" | "clock" | "log" | "adopt">,
  release: Release,
  call: CallOptions = {},
): Promise<void> {
  const { going, staying } = await sortCrds(client, RESOURCES, release, call);
  if (staying.length > 0) {
    log.warn({ staying, release }, "these CRDs stay, with their objects: they do not belong to the release");
  }
  if (going.length === 0) return;
  const writes = adopt ? await lookAtWriters(client, { kinds: KINDS, ...adopt }, call) : [];
  if (writes.length > 0) {
    throw new Error(`the CRDs stay, with their objects: ${writes.map(writeText).join(" ")}`);
  }
  const removed = going.map(({ name }) => name);
  if (removed.includes(resourceName(backupResource))) await annotateAll(client, SNAPSHOTS_STAY, call);
  await removeCrds({ client, clock, going }, call);
  log.info({ removed }, "the CRDs are removed");
}

const SNAPSHOTS_STAY = { resource: backupResource, name: ANNOTATIONS.skipSnapshotCleanup, value: "true" };

import type { Api } from "../core/api.ts";
import { lookAtWriters } from "../kube/adoption/look_at_adoption.ts";
import { writeText } from "../kube/adoption/other_writers.ts";
import type { CallOptions } from "../kube/client.ts";
import { resourceName } from "../kube/resource.ts";
import { annotateAll } from "../kube/write/annotate_all.ts";
import { type Release, removeCrds, sortCrds } from "../kube/write/remove_crds.ts";
import type { Cleanup } from "./clean_up_api.ts";

/**
 * The CRDs of the release go, and every object with them. No other operator may take that for a wish to delete backups:
 * one of another release is told by each object that stands for data that this stays, and where somebody else's is at
 * work, so do the CRDs. Those of such objects go first: then nobody makes one that has not been told of.
 */
export async function removeApiCrds(
  { kinds, removal }: Api,
  { client, clock, log, adopt }: Pick<Cleanup, "client" | "clock" | "log" | "adopt">,
  release: Release,
  call: CallOptions = {},
): Promise<void> {
  const { keepsData = [] } = removal;
  const first = keepsData.map(({ resource }) => resourceName(resource));
  const resources = kinds
    .map(({ resource }) => resource)
    .toSorted((a, b) => Number(first.includes(resourceName(b))) - Number(first.includes(resourceName(a))));
  const { going, staying } = await sortCrds(client, resources, release, call);
  if (staying.length > 0) {
    log.warn({ staying, release }, "these CRDs stay, with their objects: they do not belong to the release");
  }
  if (going.length === 0) return;
  const writes = adopt ? await lookAtWriters(client, { kinds, ...adopt }, call) : [];
  if (writes.length > 0) {
    throw new Error(`the CRDs stay, with their objects: ${writes.map(writeText).join(" ")}`);
  }
  const removed = going.map(({ name }) => name);
  for (const keep of keepsData) {
    if (removed.includes(resourceName(keep.resource))) await annotateAll(client, keep, call);
  }
  await removeCrds({ client, clock, going }, call);
  log.info({ removed }, "the CRDs are removed");
}

import type { Listed, RetentionView } from "../core/view/api_view.ts";
import { type BackupConfig, backupConfigResource } from "../kinds/kopiur/generated/backup_config.ts";
import type { KubeObject } from "../kube/object.ts";
import type { Resource } from "../kube/resource.ts";
import { visibleOf } from "./console/volume_detail.ts";
import type { Call } from "./frame/command.ts";

/** What retention keeps of a BackupConfig's Backups, and would delete now; undefined where nothing is known of that. */
export async function retentionOf(call: Call, config: BackupConfig): Promise<RetentionView | undefined> {
  const view = (await call.views()).find(({ kinds }) =>
    kinds.some(({ resource }) => (resource as Resource) === backupConfigResource),
  );
  const lists = (view?.kinds ?? []).map(
    async ({ resource }) => [resource as Resource, await visibleOf<KubeObject>(call, resource)] as const,
  );
  const objects = new Map<Resource, readonly KubeObject[]>(await Promise.all(lists));
  // What was just written is in no list yet, nor what is only meant to be written.
  objects.set(backupConfigResource, [config]);
  const of = ((resource: Resource) => objects.get(resource) ?? []) as Listed["of"];
  return view?.retention?.({ of, claims: [] }, config.metadata, call.clock.now());
}

import { glance, look } from "../../../core/volumes/staging/look.ts";
import { observeGroup } from "../../../core/volumes/staging/observe_staging.ts";
import { groupCapability } from "../../../core/volumes/staging/take_group.ts";
import { type BackupConfig, backupConfigResource } from "../../../kinds/kopiur/generated/backup_config.ts";
import type { ResolvedSource } from "../../../kinds/kopiur/parts.ts";
import { REASONS } from "../../../kinds/kopiur/reasons.ts";
import { PersistentVolumeClaims, PersistentVolumes } from "../../../kube/builtin.ts";
import type { Client } from "../../../kube/client.ts";
import { type ObjectKey, parseKey } from "../../../kube/object.ts";
import { ownerReference } from "../../../kube/write/owners.ts";
import { err, ok, type Result } from "../../../lib/result.ts";
import { blocked, type Problem } from "../problem.ts";

const ONE_BY_ONE = blocked(
  REASONS.groupSnapshotUnsupported,
  "Several volumes cannot be cloned at one moment. Use copyMethod Snapshot, or set groupBy to None.",
);

/** Whether the volumes of a recipe can be captured at one moment; undefined where nobody asks for that. */
export async function observeGroupSupport(
  client: Pick<Client, "get" | "list" | "serves">,
  config: BackupConfig,
  sources: readonly ResolvedSource[],
  signal: AbortSignal,
): Promise<Result<true, Problem> | undefined> {
  const { copyMethod, groupBy, volumeGroupSnapshotClassName: groupSnapshotClassName } = config.spec;
  if (sources.length < 2 || groupBy === "None" || copyMethod === "Direct") return undefined;
  if (copyMethod === "Clone") return err(ONE_BY_ONE);
  const { namespace = "" } = config.metadata;
  const call = { signal };
  const names = sources.map(({ pvc }) => ({ namespace, name: parseKey(pvc as ObjectKey).name }));
  const seen = await Promise.all(
    names.map(async (source) => {
      const name = (await look(client, PersistentVolumeClaims, source, call))?.spec?.volumeName;
      return { source, volume: name ? await glance(client, PersistentVolumes, { name }, call) : undefined };
    }),
  );
  const owner = {
    reference: ownerReference({
      owner: { resource: backupConfigResource, object: config },
      dependent: { resource: PersistentVolumeClaims, namespace },
    }),
    namespace,
  };
  const group = await observeGroup(client, { owner, sources: names }, call);
  const capable = groupCapability({ groupSnapshotClassName }, seen, group);
  if (capable.ok) return ok(true);
  const { class: kind, reason, message } = capable.error;
  return err({ class: kind, reason, message });
}

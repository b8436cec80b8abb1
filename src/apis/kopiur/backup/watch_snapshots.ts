import { VolumeSnapshots } from "../../../core/volumes/staging/snapshot_kinds.ts";
import { STAGED_FOR, toStagedOwner } from "../../../core/volumes/staging/staged_marks.ts";
import { backupResource } from "../../../kinds/kopiur/generated/backup.ts";
import type { Informers } from "../../../kube/cache/informers.ts";
import type { Reader } from "../../../kube/client.ts";
import type { Controller } from "../../../kube/controller/controller.ts";
import type { Runnable } from "../../../kube/controller/runnable.ts";
import { aborted } from "../../../lib/aborted.ts";
import { messageOf } from "../../../lib/result.ts";
import type { Logger } from "../../../observe/log.ts";

export interface SnapshotWatch {
  readonly client: Pick<Reader, "serves">;
  readonly informers: Pick<Informers, "cache">;
  /** Default: all. */
  readonly namespace?: string | undefined;
  readonly log: Logger;
}

/**
 * Wakes the Backups that wait for a snapshot of a volume, where the cluster has such. Without it they look for
 * themselves now and then.
 */
export function watchSnapshots(ports: SnapshotWatch, backups: Pick<Controller, "enqueue">): Runnable {
  const { client, informers, namespace, log } = ports;
  return {
    name: "kopiur-volumesnapshots",
    async run(signal, ready) {
      ready();
      const served = await client.serves(VolumeSnapshots, { signal }).catch((error: unknown) => {
        log.debug({ error: messageOf(error) }, "snapshots of volumes are not watched");
        return false;
      });
      if (!served || signal.aborted) return aborted(signal);
      const keysOf = toStagedOwner(backupResource);
      const scope = namespace === undefined ? {} : { namespace };
      const cache = informers.cache({
        resource: VolumeSnapshots,
        ...scope,
        labelSelector: STAGED_FOR,
        metadataOnly: true,
        optional: true,
      });
      const end = cache.onChange((change) => {
        for (const key of keysOf(change)) backups.enqueue(key);
      });
      await aborted(signal);
      end();
    },
  };
}

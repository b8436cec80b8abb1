import type { Informers } from "../../../kube/cache/informers.ts";
import type { Reader } from "../../../kube/client.ts";
import type { Controller } from "../../../kube/controller/controller.ts";
import type { Resource } from "../../../kube/resource.ts";
import type { Runnable } from "../../../kube/runnable.ts";
import { aborted } from "../../../lib/aborted.ts";
import { messageOf } from "../../../lib/result.ts";
import type { Logger } from "../../../observe/log.ts";
import { VolumeSnapshots } from "./snapshot_kinds.ts";
import { STAGED_FOR, toStagedOwner } from "./staged_marks.ts";

export interface SnapshotWatch {
  /** Of the runnable. */
  readonly name: string;
  /** Whose copies are watched. */
  readonly resource: Resource;
  readonly client: Pick<Reader, "serves">;
  readonly informers: Pick<Informers, "cache">;
  /** Default: all. */
  readonly namespace?: string | undefined;
  readonly log: Logger;
}

/**
 * Wakes the objects that wait for a snapshot of a volume, where the cluster has such. Without it they look for
 * themselves now and then.
 */
export function watchSnapshots(ports: SnapshotWatch, owners: Pick<Controller, "enqueue">): Runnable {
  const { name, resource, client, informers, namespace, log } = ports;
  return {
    name,
    async run(signal, ready) {
      ready();
      const served = await client.serves(VolumeSnapshots, { signal }).catch((error: unknown) => {
        log.debug({ error: messageOf(error) }, "snapshots of volumes are not watched");
        return false;
      });
      if (!served || signal.aborted) return aborted(signal);
      const keysOf = toStagedOwner(resource);
      const scope = namespace === undefined ? {} : { namespace };
      const cache = informers.cache({
        resource: VolumeSnapshots,
        ...scope,
        labelSelector: STAGED_FOR,
        metadataOnly: true,
        optional: true,
      });
      const end = cache.onChange((change) => {
        for (const key of keysOf(change)) owners.enqueue(key);
      });
      await aborted(signal);
      end();
    },
  };
}

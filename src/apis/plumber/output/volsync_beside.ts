import { identityKey } from "../../../core/catalog/truth/known_backups.ts";
import {
  type ReplicationDestination,
  ReplicationDestinations,
  type ReplicationSource,
  ReplicationSources,
} from "../../../kinds/plumber/volsync.ts";
import type { Cache } from "../../../kube/cache/cache.ts";
import type { Informers } from "../../../kube/cache/informers.ts";
import { keyOf, type ObjectKey } from "../../../kube/object.ts";
import type { BackupIdentity } from "../policy/backup_identity.ts";
import type { PlumberSettings } from "../settings.ts";
import { generatedNames } from "./generated_marks.ts";

const BY_PVC = "pvc";

/** VolSync's objects of PVCs whose labels become native objects: somebody else made them, or an earlier output. */
export class VolsyncBeside {
  readonly sources: Cache<ReplicationSource>;
  readonly #destinations: Cache<ReplicationDestination>;
  readonly #settings: Pick<PlumberSettings, "namingStrategy">;

  constructor(informers: Pick<Informers, "cache">, settings: Pick<PlumberSettings, "namingStrategy">) {
    this.#settings = settings;
    this.sources = informers.cache({
      resource: ReplicationSources,
      optional: true,
      indexes: { [BY_PVC]: backedUpBy },
    });
    this.#destinations = informers.cache({ resource: ReplicationDestinations, optional: true });
  }

  /** Those that back a PVC up, and the one under the name of what it would be restored from. */
  of(pvc: { readonly namespace?: string | undefined; readonly name: string }) {
    const { restore } = generatedNames(pvc.name, this.#settings.namingStrategy);
    return {
      sources: this.sources.indexed(BY_PVC, keyOf(pvc)),
      destination: this.#destinations.get(keyOf({ namespace: pvc.namespace, name: restore })),
    };
  }
}

/** The PVC that a source backs up. */
export function backedUpBy({ metadata, spec }: ReplicationSource): readonly ObjectKey[] {
  const { namespace } = metadata;
  return spec?.sourcePVC === undefined ? [] : [keyOf({ namespace, name: spec.sourcePVC })];
}

/** Whether a source writes the history of this identity: VolSync takes its own name and namespace where it says none. */
export function writesHistory(
  { metadata, spec }: ReplicationSource,
  identity: Pick<BackupIdentity, "username" | "hostname">,
): boolean {
  if (!spec?.kopia || spec.paused || metadata.deletionTimestamp) return false;
  const { username = metadata.name, hostname = metadata.namespace ?? "" } = spec.kopia;
  return identityKey({ username, hostname }) === identityKey(identity);
}

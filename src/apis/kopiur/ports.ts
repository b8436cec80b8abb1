import type { DeletionObserver } from "../../core/api.ts";
import type { DeletionGuard } from "../../core/backup/deletion_guard.ts";
import type { EngineRoom } from "../../core/reconcile/engine_room.ts";
import type { Backup } from "../../kinds/kopiur/generated/backup.ts";
import type { Lookup } from "./admission/lookup.ts";
import type { KopiurCaches } from "./caches.ts";
import type { AnyRepository } from "./references.ts";

/** What every controller of this API is handed. */
export interface KopiurPorts extends EngineRoom {
  readonly deletionGuard: DeletionGuard<AnyRepository, Backup>;
  readonly caches: KopiurCaches;
  /** The same caches, as admission looks at them: its rules are run again. */
  readonly lookup: Lookup;
  /** Is told what is to be counted. Default: nobody counts. */
  readonly tally?: DeletionObserver;
}

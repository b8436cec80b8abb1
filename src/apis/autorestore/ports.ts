import type { EngineRoom } from "../../core/reconcile/engine_room.ts";
import type { ClaimTurns } from "../../core/work/claim_turns.ts";
import type { Cache } from "../../kube/cache/cache.ts";
import type { KubeObject } from "../../kube/object.ts";
import type { ResticDeletionGuard } from "./backup/deletion_guard.ts";
import type { AutorestoreCaches } from "./caches.ts";

/** What the controllers of this API are handed. */
export interface AutorestorePorts extends EngineRoom {
  readonly caches: AutorestoreCaches;
  readonly workloads: readonly Cache<KubeObject>[];
  readonly turns: ClaimTurns;
  readonly deletionGuard: ResticDeletionGuard;
}

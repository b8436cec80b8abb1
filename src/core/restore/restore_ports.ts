import type { Cache } from "../../kube/cache/cache.ts";
import type { ObjectKey } from "../../kube/object.ts";
import type { Result } from "../../lib/result.ts";
import type { EngineRoom } from "../reconcile/engine_room.ts";
import type { Problem } from "../reconcile/problem.ts";
import type { RunContext } from "../repository/task_for.ts";
import type { Claim } from "../volumes/claim_request.ts";
import type { RestoreSource } from "./resolution.ts";
import type { Pinned, RepositoryRef, Restore, RestoreApi } from "./restore.ts";

/** What the restores of an API are done with. */
export interface RestorePorts
  extends Pick<
    EngineRoom,
    "client" | "clock" | "events" | "log" | "tasks" | "hooks" | "reported" | "queues" | "settings"
  > {
  /** Only this namespace is looked at. Default: all. */
  readonly namespace?: string | undefined;
  readonly api: RestoreApi;
  readonly claims: Pick<Cache<Claim>, "get">;
  restore(key: ObjectKey): KnownRestore | undefined;
  /** The claims that name a restore in their dataSourceRef, whether or not there is one. */
  claimsNaming(restore: ObjectKey): readonly Claim[];
  /** The prime claims that are filled from a restore. */
  primesFrom(restore: ObjectKey): readonly Claim[];
  /** Why claims that name this restore cannot be filled. */
  populationProblem(restore: Restore | undefined): Problem | undefined;
  /** A namespace that is going, and everything in it. */
  isGoing(namespace: string): boolean;
}

/** A restore, and what only its API can look up for it. */
export interface KnownRestore {
  readonly restore: Restore;
  /** What its API keeps in its status besides. */
  readonly ownStatus?: object;
  /** Where the data for the claim of this name comes from. `pinned`: what was decided before. */
  source(question: {
    readonly pinned: Pinned | undefined;
    readonly target: string | undefined;
  }): RestoreSource;
  /** A repository; or why it is not there. */
  repository(ref: RepositoryRef, signal: AbortSignal): Promise<Result<FoundRepository, Problem>>;
  /** Why its API never lets the existing claim be written. Default: it does. */
  targetProblem?(): Problem | undefined;
  /** The most that the last backups of the target's own volume held. Default: nobody knows. */
  targetBytes?(): number | undefined;
  /** Every restore into the same claim, also those that have ended. Default: none is known. */
  everInto?(): readonly Restore[];
  /** Every restore that writes into the same claim, itself among them. */
  intoSameClaim(): readonly Restore[];
}

/** A repository as a run of a restore finds it. */
export interface FoundRepository {
  readonly context: RunContext;
  /** Whether work may begin there; what runs already is looked after all the same. */
  readonly ready: Result<unknown, Problem>;
}

import type { CallOptions } from "../../kube/client.ts";
import { done, type Outcome, requeueAfter } from "../../kube/controller/controller.ts";
import type { KubeObject } from "../../kube/object.ts";
import type { Resource } from "../../kube/resource.ts";
import type { EngineRoom } from "../reconcile/engine_room.ts";
import { writeFitted } from "../reconcile/fitted_status.ts";
import { decideRetention, type ObservedRetention } from "./decide_retention.ts";
import { afterPruning, type RetentionState } from "./retention_state.ts";

/** What an API says of the objects whose backups are kept by rules, and of these backups. */
export interface RetentionApi<O extends KubeObject, B extends KubeObject> {
  readonly owners: Resource<O>;
  /** The backups of an owner, as the caches know them. */
  backupsOf(owner: O): readonly B[];
  /** The same, as the API server holds them. */
  listBackups(owner: O, call: CallOptions): Promise<readonly B[]>;
  observe(owner: O, backups: readonly B[]): ObservedRetention<B>;
  /** The state as the owner's status has it. Default: as it is. */
  statusOf?(owner: O, state: RetentionState): object;
  /** Deletes a backup as the operator's own deletion. */
  prune(backup: B, call: CallOptions): Promise<void>;
}

type Ports = Pick<EngineRoom, "client" | "clock" | "events">;

/**
 * Deletes what no rule keeps, and says what would go next. What is deleted is decided on what the API server holds now:
 * a cache may be behind, and a newer backup gone.
 */
export async function reconcileRetention<O extends KubeObject, B extends KubeObject>(
  ports: Ports,
  api: RetentionApi<O, B>,
  seen: O,
  signal: AbortSignal,
): Promise<Outcome> {
  const { client, clock } = ports;
  const { owners: resource } = api;
  let owner = seen;
  let decision = decideRetention(api.observe(seen, api.backupsOf(seen)));
  if (decision.prune.length > 0) {
    owner = await client.get(resource, seen.metadata, { signal });
    decision = decideRetention(api.observe(owner, await api.listBackups(owner, { signal })));
  }
  if (owner.metadata.deletionTimestamp) return done;
  const { prune, events, wakeAt } = decision;
  for (const backup of prune) await api.prune(backup, { signal });
  const state = afterPruning(decision.status, prune.length, clock.now());
  const status = api.statusOf?.(owner, state) ?? state;
  await writeFitted(client, { resource, object: owner, status }, { signal });
  for (const note of events) ports.events.event(owner, note);
  tellPruned(ports, owner, prune);
  return requeueAfter(Math.max(0, wakeAt - clock.now()));
}

export function tellPruned(
  { events }: Pick<EngineRoom, "events">,
  owner: KubeObject,
  pruned: readonly KubeObject[],
): void {
  if (pruned.length === 0) return;
  const names = pruned.map(({ metadata }) => metadata.name).join(", ");
  const message =
    pruned.length === 1
      ? `backup ${names} was deleted: no rule keeps it.`
      : `${pruned.length} backups were deleted, which no rule keeps: ${names}.`;
  events.event(owner, { type: "Normal", reason: "Pruned", message });
}

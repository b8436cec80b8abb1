import type { Check as AnyCheck } from "../../../core/admission/check.ts";
import type { Backup } from "../../../kinds/cozystack/generated/backup.ts";
import type { BackupClass } from "../../../kinds/cozystack/generated/backup_class.ts";
import type { Plan } from "../../../kinds/cozystack/generated/plan.ts";
import { type Found, findIn } from "../../../kube/cache/found.ts";
import type { Informers } from "../../../kube/cache/informers.ts";
import type { KubeObject, ObjectName } from "../../../kube/object.ts";
import type { CozystackCaches } from "../caches.ts";
import { type StrategyRef, strategyWithGroup } from "../core/resolve_class.ts";
import { STRATEGIES } from "../drivers/strategies.ts";

/** What is there already. It may be a little behind, so the controllers check again. */
export interface Lookup {
  backupClass(name: string): Found<BackupClass>;
  plan(name: ObjectName): Found<Plan>;
  backup(name: ObjectName): Found<Backup>;
  /** Its metadata alone. */
  namespace(name: string): Found<KubeObject>;
  /** A strategy of a driver of ours; `foreign` where it belongs to another driver. */
  strategy(ref: StrategyRef): Found<KubeObject> | "foreign";
}

export type Check<T> = AnyCheck<T, Lookup>;

/** Looks into caches alone. */
export function cachedLookup(caches: CozystackCaches, informers: Pick<Informers, "cache">): Lookup {
  const strategies = STRATEGIES.map((resource) => ({ resource, cache: informers.cache({ resource }) }));
  return {
    backupClass: (name) => findIn(caches.classes, { name }),
    plan: (name) => findIn(caches.plans, name),
    backup: (name) => findIn(caches.backups, name),
    namespace: (name) => findIn(caches.namespaces, { name }),
    strategy: (ref) => {
      const { apiGroup, kind, name } = strategyWithGroup(ref);
      const own = strategies.find(({ resource }) => resource.group === apiGroup && resource.kind === kind);
      return own ? findIn(own.cache, { name }) : "foreign";
    },
  };
}

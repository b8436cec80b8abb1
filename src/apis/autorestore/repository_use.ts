import type { PlannedRepository } from "../../core/backup/plan.ts";
import { blocked, type Problem, waits } from "../../core/reconcile/problem.ts";
import type { Ready, Repository } from "../../core/repository/repository.ts";
import { readyRepository } from "../../core/repository/use_repository.ts";
import type { ResticRepository } from "../../kinds/autorestore/generated/restic_repository.ts";
import { keyOf, type ObjectKey, parseKey } from "../../kube/object.ts";
import { err, type Result } from "../../lib/result.ts";
import type { AutorestoreCaches } from "./caches.ts";
import { allowsConfigs, claimedBy, selectorOf, usesRepository } from "./config/claiming.ts";
import { coreRepository } from "./repository/core_repository.ts";

/** A ResticRepository, as somebody may use it. */
export interface RepositoryUse {
  readonly object: ResticRepository | undefined;
  /** As the engine room knows it, whether or not it may be used: what runs already is looked after. */
  readonly repository: Repository | undefined;
  /** It is there, may be used, and answered when it was last asked. */
  readonly ready: Result<Ready<Repository>, Problem>;
}

/**
 * Looks up a repository for work on a PVC. One of another namespace is there for the PVCs that its BackupConfigs claim.
 * `planned`: it was allowed when this plan was made, and needs not be again, as long as it is the same repository.
 */
export function useRepository(
  caches: AutorestoreCaches,
  key: ObjectKey,
  claim: ObjectKey,
  planned?: PlannedRepository,
): RepositoryUse {
  const object = caches.repositories.get(key);
  if (!object) {
    return { object, repository: undefined, ready: readyRepository(undefined, `ResticRepository ${key}`) };
  }
  const read = coreRepository(object);
  if (!read.ok) {
    const message = `ResticRepository ${key} cannot be used: ${read.error.message}`;
    return { object, repository: undefined, ready: err(waits("RepositoryNotReady", message)) };
  }
  const repository = read.value;
  const objection = isPlanned(repository, planned) ? undefined : foreign(caches, key, claim);
  const ready = objection ? err(objection) : readyRepository(repository, `ResticRepository ${key}`);
  return { object, repository, ready };
}

/** A repository, where it may be used for a PVC now, as a plan notes it. */
export function allowedNow(
  caches: AutorestoreCaches,
  key: ObjectKey,
  claim: ObjectKey,
): PlannedRepository | undefined {
  const { metadata, status } = caches.repositories.get(key) ?? {};
  if (!metadata || !status?.uniqueID || foreign(caches, key, claim)) return undefined;
  const { namespace = "", name, uid } = metadata;
  return { namespace, name, uid, uniqueID: status.uniqueID };
}

function isPlanned({ metadata, status }: Repository, planned: PlannedRepository | undefined): boolean {
  if (planned?.uid === undefined || planned.uniqueID === undefined) return false;
  return planned.uid === metadata.uid && planned.uniqueID === status?.uniqueID;
}

function foreign(caches: AutorestoreCaches, key: ObjectKey, claimKey: ObjectKey): Problem | undefined {
  const { namespace = "" } = parseKey(key);
  const { namespace: place = "" } = parseKey(claimKey);
  if (namespace === place) return undefined;
  const claim = caches.claims.get(claimKey);
  const owner = claim && claimedBy(claim);
  const config = owner === undefined ? undefined : caches.configs.get(owner as ObjectKey);
  const uses = config?.metadata.namespace === namespace && usesRepository(config, keyOf(parseKey(key)));
  // Whoever may edit a PVC can write the marks of a claim: both namespaces have to want it besides.
  const wanted = claim && config && selectorOf(config, claim) !== undefined;
  if (uses && wanted && allowsConfigs(caches.namespaces.get(keyOf({ name: place })), namespace))
    return undefined;
  return blocked(
    "RepositoryForbidden",
    `ResticRepository ${key} is in another namespace, and no BackupConfig there has claimed PersistentVolumeClaim ${claimKey}. Use a ResticRepository of the PVC's namespace, or have a BackupConfig beside the repository select the PVC.`,
  );
}

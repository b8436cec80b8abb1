import { blocked, type Problem, waits } from "../../../core/reconcile/problem.ts";
import { problemOf } from "../../../core/reconcile/violation.ts";
import { largestOf } from "../../../core/restore/deletion_doubt.ts";
import { type Restore as AnyRestore, targetName } from "../../../core/restore/restore.ts";
import type { KnownRestore, RestorePorts } from "../../../core/restore/restore_ports.ts";
import { acceptedBackup } from "../../../core/retention/prune_pause.ts";
import type { Restore } from "../../../kinds/kopiur/generated/restore.ts";
import type { Cache } from "../../../kube/cache/cache.ts";
import { isNamespaceGoing } from "../../../kube/cache/namespaces.ts";
import { keyOf, type ObjectKey, parseKey } from "../../../kube/object.ts";
import {
  BY_CLAIM,
  BY_DATA_SOURCE,
  BY_NAMESPACE,
  BY_PRIME_SOURCE,
  BY_RECIPE,
  type KopiurCaches,
} from "../caches.ts";
import type { KopiurPorts } from "../ports.ts";
import { repositoryTarget } from "../rules/repository_claims.ts";
import { RESTORES } from "./restore_api.ts";
import { restoreRepository } from "./restore_repository.ts";
import { type SourceObjects, sourceObjects, sourceOf } from "./restore_source.ts";
import { SAFETY_PENDING, type SafetyStep, safetyBackupOf, safetyStep } from "./safety_backup.ts";

/** What this API's Restores are done with: their objects in the words of the engine room. */
export function restorePorts(ports: KopiurPorts): RestorePorts {
  const { restores, claims, namespaces } = ports.caches;
  return {
    ...ports,
    api: RESTORES,
    claims,
    restore(key) {
      const restore = restores.get(key);
      return restore && knownRestore(ports, restore);
    },
    claimsNaming: (key) => claims.indexed(BY_DATA_SOURCE, key),
    primesFrom: (key) => claims.indexed(BY_PRIME_SOURCE, key),
    populationProblem: (restore) => populationProblem(restore, ports.namespace !== undefined),
    isGoing: (name) => isNamespaceGoing(namespaces, name),
  };
}

function knownRestore(ports: KopiurPorts, restore: Restore): KnownRestore {
  let seen: SourceObjects | undefined;
  const objects = () => {
    seen ??= sourceObjects(ports, restore);
    return seen;
  };
  const { namespace } = restore.metadata;
  const safetyBackup = safetyBackupOf(restore);
  return {
    restore,
    ownStatus: {
      sourceKind: Object.keys(restore.spec.source)[0] ?? "",
      ...(safetyBackup === undefined ? {} : { safetyBackup }),
    },
    source: (question) => sourceOf({ ...objects(), ...question, now: ports.clock.now() }),
    repository: (ref, signal) => restoreRepository(ports, objects(), ref, signal),
    targetProblem: () => {
      const violation = repositoryTarget(restore, ports.lookup);
      if (violation) return problemOf(violation);
      const step = safetyStepFor(ports, restore);
      if (step.type === "Create") return SAFETY_PENDING;
      return step.type === "Wait" ? step.problem : undefined;
    },
    targetBytes: () => largestBackup(ports.caches, keyOf({ namespace, name: targetName(restore) ?? "" })),
    everInto: () => restoresInto(ports.caches.restores, restore),
    intoSameClaim: () =>
      ports.caches.restores.indexed(BY_CLAIM, keyOf({ namespace, name: targetName(restore) ?? "" })),
  };
}

/** What is next for the backup that a Restore wants before it overwrites anything. */
export function safetyStepFor({ caches }: Pick<KopiurPorts, "caches">, restore: Restore): SafetyStep {
  const { namespace = "" } = restore.metadata;
  const name = safetyBackupOf(restore);
  if (name === undefined) return { type: "Done" };
  const backup = caches.backups.get(keyOf({ namespace, name }));
  return safetyStep(restore, { configs: caches.configs.indexed(BY_NAMESPACE, namespace), backup });
}

/** Every Restore into the claim of this one, also those that have ended. */
export function restoresInto(restores: Pick<Cache<Restore>, "values">, restore: Restore): readonly Restore[] {
  const { namespace } = restore.metadata;
  return [...restores.values()].filter(
    (one) => one.metadata.namespace === namespace && targetName(one) === targetName(restore),
  );
}

/** The most that the last Backups of a claim held, by the BackupConfigs of its namespace. */
export function largestBackup(
  { configs, backups }: Pick<KopiurCaches, "configs" | "backups">,
  claim: ObjectKey,
): number | undefined {
  const { namespace = "" } = parseKey(claim);
  const sizes = configs.indexed(BY_NAMESPACE, namespace).flatMap((config) => {
    const made = backups.indexed(BY_RECIPE, keyOf(config)).flatMap(({ metadata, status }) => {
      const { sizeBytes: bytes } = status?.snapshots?.find(({ pvc }) => pvc === claim) ?? {};
      const at = Date.parse(status?.timing?.endTime ?? "");
      return status?.phase === "Succeeded" && bytes !== undefined ? [{ id: metadata.name, at, bytes }] : [];
    });
    return largestOf(made, acceptedBackup(config)) ?? [];
  });
  return sizes.length > 0 ? Math.max(...sizes) : undefined;
}

/** Why claims that name this Restore cannot be filled. `namespaced`: the operator looks after one namespace. */
export function populationProblem(restore: AnyRestore | undefined, namespaced: boolean): Problem | undefined {
  if (!restore || restore.metadata.deletionTimestamp) {
    return waits(
      "RestoreNotFound",
      "The Restore does not exist. Create it, or correct the claim's dataSourceRef.",
    );
  }
  if (restore.spec.target) {
    return blocked(
      "RestoreHasTarget",
      `Restore ${restore.metadata.name} has a target of its own. Leave target out to fill the claims that name it.`,
    );
  }
  if (namespaced) {
    return blocked(
      "ClusterScopeNeeded",
      "Claims with a data source are filled by handing volumes over, which an operator that is installed for one namespace may not. Install it for the whole cluster, or restore into a new claim with target.pvc.",
    );
  }
  return undefined;
}

import type { BackupConfig } from "../../../kinds/kopiur/generated/backup_config.ts";
import type { ClusterRepository } from "../../../kinds/kopiur/generated/cluster_repository.ts";
import type { Repository } from "../../../kinds/kopiur/generated/repository.ts";
import { type KubeObject, keyOf, type ObjectName } from "../../../kube/object.ts";
import type { RepositoryRef } from "../references.ts";
import { consentsOf } from "../rules/consents.ts";
import {
  type Crossing,
  clusterRepositoryForbidden,
  crossingForbidden,
  crossingToken,
} from "../rules/crossing.ts";
import { listed } from "../rules/permission.ts";
import type { Finding } from "./check.ts";
import { judge } from "./judge.ts";
import { type Found, isPresent, type Lookup } from "./lookup.ts";
import { tenantOf } from "./tenant.ts";

/** What is to be said of an object that is referred to: nothing, or that it is waited for. */
export function presence(
  found: Found<KubeObject>,
  { field, kind, name }: { readonly field: string; readonly kind: string; readonly name: ObjectName },
): readonly Finding[] {
  const target = `${kind} ${keyOf(name)}`;
  if (found === "absent") return [{ warn: `${field}: ${target} does not exist yet, and is waited for` }];
  if (found === "unknown") {
    return [{ warn: `${field}: ${target} could not be looked up; the operator checks it later` }];
  }
  if (!found.metadata.deletionTimestamp) return [];
  return [{ warn: `${field}: ${target} is being deleted` }];
}

/**
 * References into other namespaces, which need consent. What is not there yet is let in, and checked when it comes. Of
 * the Secrets behind a reference nothing is said where the reference itself is refused.
 */
export function crossed(
  object: KubeObject,
  crossings: readonly Crossing[],
  lookup: Lookup,
): readonly Finding[] {
  const from = object.metadata.namespace ?? "";
  const consents = consentsOf(object);
  const findings = (crossing: Crossing): readonly Finding[] => {
    if (consents.has(crossingToken(crossing))) return [];
    const { kind, namespace, name = "*", field } = crossing;
    const judgement = judge(crossing, from, lookup);
    if (judgement === "granted") return [];
    if (judgement === "denied") return [{ refuse: crossingForbidden(crossing, from) }];
    // What leads to the Secrets says that it is not there yet.
    if (kind === "Secret") return [];
    if (kind === "PersistentVolumeClaim") {
      return presence(judgement, { field, kind: "Namespace", name: { name: namespace } });
    }
    return presence(judgement, { field, kind, name: { namespace, name } });
  };
  const found = crossings.filter(({ kind }) => kind !== "Secret").flatMap(findings);
  if (found.some((finding) => "refuse" in finding)) return found;
  return [...found, ...crossings.filter(({ kind }) => kind === "Secret").flatMap(findings)];
}

/** A repository that is used from a namespace. References into other namespaces are left to `crossed`. */
export function repositoryUse(
  ref: RepositoryRef,
  { from, field, lookup }: { readonly from: string; readonly field: string; readonly lookup: Lookup },
): readonly Finding[] {
  if (ref.kind === "Repository") {
    const elsewhere = ref.namespace !== undefined && ref.namespace !== from;
    const name = { namespace: from, name: ref.name };
    return elsewhere ? [] : presence(lookup.repository(name), { field, kind: ref.kind, name });
  }
  const found = lookup.clusterRepository(ref.name);
  const seen = presence(found, { field, kind: ref.kind, name: { name: ref.name } });
  if (!isPresent(found)) return seen;
  const permission = listed(found.spec.allowedNamespaces, tenantOf(from, lookup));
  if (permission === "granted") return seen;
  if (permission === "denied") {
    return [...seen, { refuse: clusterRepositoryForbidden(ref.name, from, field) }];
  }
  const unread = `${field}: whether namespace ${from} may use ClusterRepository ${ref.name} is checked later`;
  return [...seen, { warn: unread }];
}

/** The repository that a reference means, where it is known. */
export function repositoryAt(
  ref: RepositoryRef,
  from: string,
  lookup: Lookup,
): Repository | ClusterRepository | undefined {
  const { kind, name, namespace = from } = ref;
  const found =
    kind === "Repository" ? lookup.repository({ namespace, name }) : lookup.clusterRepository(name);
  return isPresent(found) ? found : undefined;
}

/** The recipe that a reference means, where it is known. */
export function configAt(
  ref: { readonly name: string; readonly namespace?: string } | undefined,
  from: string | undefined,
  lookup: Lookup,
): BackupConfig | undefined {
  const found = ref ? lookup.config({ namespace: from, ...ref }) : "absent";
  return isPresent(found) ? found : undefined;
}

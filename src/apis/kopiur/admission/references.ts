import { listed, tenantOf } from "../../../core/consent/permission.ts";
import { sharedForbidden } from "../../../core/consent/repository_permission.ts";
import { type Finding, presence } from "../../../core/reconcile/finding.ts";
import type { BackupConfig } from "../../../kinds/kopiur/generated/backup_config.ts";
import type { ClusterRepository } from "../../../kinds/kopiur/generated/cluster_repository.ts";
import type { Repository } from "../../../kinds/kopiur/generated/repository.ts";
import { isPresent } from "../../../kube/cache/found.ts";
import type { RepositoryRef } from "../references.ts";
import { ALLOWED_FIELD } from "./consent_rules.ts";
import type { Lookup } from "./lookup.ts";

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
    return [...seen, { refuse: sharedForbidden(found, { from, field, allowedField: ALLOWED_FIELD }) }];
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

/** The BackupConfig that a reference means, where it is known. */
export function configAt(
  ref: { readonly name: string; readonly namespace?: string } | undefined,
  from: string | undefined,
  lookup: Lookup,
): BackupConfig | undefined {
  const found = ref ? lookup.config({ namespace: from, ...ref }) : "absent";
  return isPresent(found) ? found : undefined;
}

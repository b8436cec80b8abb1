import type { Holder } from "../../../core/policy/identity.ts";
import { renderTemplate } from "../../../core/policy/identity_template.ts";
import type { BackupConfig } from "../../../kinds/kopiur/generated/backup_config.ts";
import type { AllowedNamespaces } from "../../../kinds/kopiur/parts.ts";
import { type RepositoryRef, repositoryKey } from "../references.ts";
import { holderText } from "../rules/config_identity.ts";
import { holdersOf } from "../rules/identity_collision.ts";
import { isPresent, type Lookup } from "./lookup.ts";

export interface ClaimedIdentity {
  readonly holder: Holder;
  readonly repository: RepositoryRef;
  /** The namespace that names the identity. */
  readonly from: string;
}

/** A namespace that an identity belongs to, and whom it lets use it. */
export interface ForeignOwner {
  readonly namespace: string;
  readonly allowed?: AllowedNamespaces | undefined;
}

/**
 * The other namespaces that an identity belongs to: those with a recipe of it, and in a repository of the whole cluster
 * the one that its host name names, whether or not it is there: its snapshots outlive it. Without this, whoever shares a
 * repository could read what everyone put there.
 */
export function foreignOwners(
  { holder, repository, from }: ClaimedIdentity,
  lookup: Lookup,
): readonly ForeignOwner[] {
  const shared =
    repository.kind === "ClusterRepository" ? lookup.clusterRepository(repository.name) : "absent";
  const defaults = isPresent(shared) ? shared.spec.identityDefaults : undefined;
  const owners = new Map<string, ForeignOwner>();
  for (const config of lookup.configsOf(repositoryKey(repository, from))) {
    if (!holdersOf(config, defaults).has(holderText(holder))) continue;
    const namespace = config.metadata.namespace ?? "";
    if (namespace === from) {
      if (isPinned(config, holder)) return [];
      continue;
    }
    owners.set(namespace, { namespace, allowed: config.spec.allowedNamespaces });
  }
  const { hostname } = holder;
  const own =
    hostname === from ||
    (hostname === hostFor(defaults?.hostnameTemplate, from) && !isPresent(lookup.namespace(hostname)));
  const named = repository.kind === "ClusterRepository" && !own;
  if (named && !owners.has(hostname)) owners.set(hostname, { namespace: hostname });
  return [...owners.values()];
}

/** The host name that a template gives to all recipes of a namespace, where it gives it to no other namespace. */
function hostFor(template: string | undefined, namespace: string): string | undefined {
  const rendered = [
    [namespace, "a"],
    [namespace, "b"],
    [`${namespace}-`, "a"],
  ].map(([Namespace = "", ConfigName = ""]) => renderTemplate(template ?? "", { Namespace, ConfigName }));
  const [host, same, other] = rendered.map((one) => (one.ok ? one.value : undefined));
  return host === same && host !== other ? host : undefined;
}

/** An own recipe is none by its words alone: it has been found to be in order, and recorded under the identity. */
function isPinned({ status }: BackupConfig, holder: Holder): boolean {
  const pinned = status?.resolved?.identity;
  return pinned !== undefined && holderText(pinned) === holderText(holder);
}

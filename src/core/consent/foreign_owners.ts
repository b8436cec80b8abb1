import { type Holder, holderText } from "../policy/identity.ts";
import { renderTemplate } from "../policy/identity_template.ts";
import type { AllowedNamespaces } from "./permission.ts";

/** An identity that somebody names in a repository. */
export interface ClaimedIdentity {
  readonly holder: Holder;
  /** The namespace that names the identity. */
  readonly from: string;
  /** The repository is for the whole cluster: there a host name is a namespace's, unless it comes from a template. */
  readonly shared: boolean;
  /** How the repository makes host names; absent where it makes none. */
  readonly hostnameTemplate?: string | undefined;
}

/** Something that records snapshots in the same repository, and under which identities. */
export interface IdentityClaimant {
  readonly namespace: string;
  /** As `username@hostname`: the one that it asks for, and the one that its snapshots have. */
  readonly holders: ReadonlySet<string>;
  /** The one that its snapshots have. */
  readonly pinned?: Holder | undefined;
  readonly allowed?: AllowedNamespaces | undefined;
}

/** A namespace that an identity belongs to, and whom it lets use it. */
export interface ForeignOwner {
  readonly namespace: string;
  readonly allowed?: AllowedNamespaces | undefined;
}

/**
 * The other namespaces that an identity belongs to: those that record under it, and in a repository of the whole cluster
 * the one that its host name names, whether or not it is there: its snapshots outlive it. Without this, whoever shares a
 * repository could read what everyone put there.
 */
export function foreignOwners(
  { holder, from, shared, hostnameTemplate }: ClaimedIdentity,
  users: Iterable<IdentityClaimant>,
  isNamespace: (name: string) => boolean,
): readonly ForeignOwner[] {
  const text = holderText(holder);
  const owners = new Map<string, ForeignOwner>();
  for (const { namespace, holders, pinned, allowed } of users) {
    if (!holders.has(text)) continue;
    if (namespace === from) {
      // What is its own by words alone has not been found to be in order, and recorded under the identity.
      if (pinned && holderText(pinned) === text) return [];
      continue;
    }
    owners.set(namespace, { namespace, allowed });
  }
  const { hostname } = holder;
  const own = hostname === from || (hostname === hostFor(hostnameTemplate, from) && !isNamespace(hostname));
  if (shared && !own && !owners.has(hostname)) owners.set(hostname, { namespace: hostname });
  return [...owners.values()];
}

/** The host name that a template gives to all of a namespace, where it gives it to no other namespace. */
function hostFor(template: string | undefined, namespace: string): string | undefined {
  const rendered = [
    [namespace, "a"],
    [namespace, "b"],
    [`${namespace}-`, "a"],
  ].map(([Namespace = "", ConfigName = ""]) => renderTemplate(template ?? "", { Namespace, ConfigName }));
  const [host, same, other] = rendered.map((one) => (one.ok ? one.value : undefined));
  return host === same && host !== other ? host : undefined;
}

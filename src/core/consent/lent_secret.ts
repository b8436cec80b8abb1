import { Secrets } from "../../kube/builtin.ts";
import type { Found } from "../../kube/cache/found.ts";
import type { KubeObject } from "../../kube/object.ts";
import { waits } from "../reconcile/problem.ts";
import { type CrossedKind, type Crossing, listedBy } from "./crossing.ts";

/** As references to Secrets are written down that an object lends to other namespaces than its own. */
export const LENT_SECRET = "LentSecret";

/** The Secret that an object without a namespace lends to namespaces; none where it names none. */
export function lentSecret(
  ref: { readonly namespace: string; readonly name: string } | undefined,
  field: string,
): readonly Crossing[] {
  return ref ? [{ kind: LENT_SECRET, namespace: ref.namespace, name: ref.name, field }] : [];
}

/**
 * Whoever writes such an object need not be allowed to read every Secret of the cluster, and may not hand them out then.
 * `annotation`: on a Namespace, the names of its Secrets that may be lent, with commas between.
 */
export function lentSecretKind(
  lookup: { namespace(name: string): Found<KubeObject> },
  annotation: string,
): CrossedKind {
  return {
    resource: Secrets,
    judge: ({ namespace, name = "" }) =>
      listedBy(lookup.namespace(namespace), (found) =>
        namesIn(found, annotation).includes(name) ? "granted" : "denied",
      ),
    target: ({ namespace }) => ({ kind: "Namespace", name: { name: namespace } }),
    undecided: ({ namespace, field }) =>
      waits(
        "NamespaceNotFound",
        `Namespace ${namespace} does not exist, so its Secrets cannot be lent. Create it, or correct ${field}.`,
      ),
    forbidden: ({ namespace, name, field }) => ({
      reason: "LendingForbidden",
      field,
      forbidden: true,
      what: `Secret ${namespace}/${name} cannot be lent to other namespaces`,
      why: `namespace ${namespace} does not list it, and the author of the reference may not get it, or no webhook has checked`,
      fix: `Have someone write the reference again who may get it, or add ${name} to the annotation ${annotation} of namespace ${namespace}`,
    }),
  };
}

/** The names that an annotation lists. */
export function namesIn({ metadata }: KubeObject, annotation: string): readonly string[] {
  return (metadata.annotations?.[annotation] ?? "").split(",").map((name) => name.trim());
}

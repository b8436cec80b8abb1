import { KEPT_OF_CLAIM } from "../../core/volumes/kept_of_claim.ts";
import { LABELS } from "../../kinds/plumber/words.ts";
import { Namespaces, PersistentVolumeClaims } from "../../kube/builtin.ts";
import type { Informers } from "../../kube/cache/informers.ts";
import { type KubeObject, keyOf } from "../../kube/object.ts";
import type { GaugeOptions } from "../../observe/metrics.ts";
import { gateOf } from "./policy/gates.ts";
import { parsePvc } from "./policy/parse_pvc.ts";
import { DEFAULTS } from "./settings.ts";

/** The PVCs that ask for protection by their label, and for which the operator writes nothing. */
export function unmanagedGauge(informers: Pick<Informers, "cache">): GaugeOptions {
  const claims = informers.cache({ resource: PersistentVolumeClaims, keep: KEPT_OF_CLAIM });
  const namespaces = informers.cache<KubeObject>({ resource: Namespaces, metadataOnly: true });
  return {
    name: "holdfast_labelled_pvcs_unmanaged",
    help: "PVCs that ask for protection and get none, as a label is missing or a value is wrong",
    labels: ["namespace", "reason"],
    read() {
      const counts = new Map<string, number>();
      for (const claim of claims.values()) {
        const { namespace = "" } = claim.metadata;
        const home = namespaces.get(keyOf({ name: namespace }));
        const reason = unmanagedReason(claim, home);
        if (reason === undefined) continue;
        const key = `${namespace} ${reason}`;
        counts.set(key, (counts.get(key) ?? 0) + 1);
      }
      return Array.from(counts, ([key, value]) => {
        const [namespace = "", reason = ""] = key.split(" ");
        return { labels: { namespace, reason }, value };
      });
    },
  };
}

/** Why nothing is written for a PVC that asks for it. */
export function unmanagedReason(
  claim: Pick<KubeObject, "metadata">,
  home: KubeObject | undefined,
): "InvalidAnnotation" | "IdentityForbidden" | "MissingLabel" | undefined {
  const { namespace = "" } = claim.metadata;
  const pvc = parsePvc(claim, DEFAULTS);
  if (pvc.enabled !== true || DEFAULTS.excludedNamespaces.includes(namespace)) return undefined;
  if (pvc.problems.length > 0) return "InvalidAnnotation";
  if (pvc.isBorrowed) return "IdentityForbidden";
  const managed = home?.metadata.labels?.[LABELS.managedNamespace] === "true";
  return gateOf(pvc, managed).open ? undefined : "MissingLabel";
}

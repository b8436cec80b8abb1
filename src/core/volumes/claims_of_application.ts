import { groupOf, type KubeObject } from "../../kube/object.ts";
import { isRecord } from "../../lib/json.ts";

/** How PVCs are found that neither name the application as their owner nor are mounted by it. */
export interface ClaimRules {
  readonly matchLabels?: Readonly<Record<string, string>> | undefined;
  readonly release?: string | undefined;
}

/** The label of everything that belongs to a Helm release. */
const RELEASE = "app.kubernetes.io/instance";

/**
 * The PVCs of an application, by name: those that it owns, those that its pods are made with, those with its labels, and
 * those of its release. PVCs that are being deleted do not count.
 */
export function claimsOfApplication<C extends KubeObject>(
  application: KubeObject,
  claims: Iterable<C>,
  { matchLabels, release }: ClaimRules,
): readonly C[] {
  const { uid, namespace } = application.metadata;
  const mounted = mountsOf(application);
  const labels = Object.entries(matchLabels ?? {});
  const belongs = ({ metadata }: C): boolean => {
    if (metadata.ownerReferences?.some((owner) => owner.uid === uid)) return true;
    if (mounted.some((pattern) => pattern.test(metadata.name))) return true;
    if (labels.length > 0 && labels.every(([name, value]) => metadata.labels?.[name] === value)) return true;
    return release !== undefined && metadata.labels?.[RELEASE] === release;
  };
  return [...claims]
    .filter(
      (claim) =>
        claim.metadata.namespace === namespace && !claim.metadata.deletionTimestamp && belongs(claim),
    )
    .toSorted((a, b) => (a.metadata.name < b.metadata.name ? -1 : 1));
}

/** The names of the PVCs that the pods of a workload of Kubernetes' own are made with. */
function mountsOf(application: KubeObject): readonly RegExp[] {
  if (groupOf(application) !== "apps") return [];
  const { spec } = application as { readonly spec?: unknown };
  const { name } = application.metadata;
  const templates = listAt(spec, "volumeClaimTemplates").flatMap((template) => {
    const claim = textAt(template, "metadata", "name");
    return claim === undefined ? [] : [new RegExp(`^${escaped(claim)}-${escaped(name)}-\\d+$`)];
  });
  const volumes = listAt(spec, "template", "spec", "volumes").flatMap((volume) => {
    const claim = textAt(volume, "persistentVolumeClaim", "claimName");
    return claim === undefined ? [] : [new RegExp(`^${escaped(claim)}$`)];
  });
  return [...templates, ...volumes];
}

function valueAt(value: unknown, path: readonly string[]): unknown {
  return path.reduce<unknown>((at, name) => (isRecord(at) ? at[name] : undefined), value);
}

function listAt(value: unknown, ...path: readonly string[]): readonly unknown[] {
  const found = valueAt(value, path);
  return Array.isArray(found) ? found : [];
}

function textAt(value: unknown, ...path: readonly string[]): string | undefined {
  const found = valueAt(value, path);
  return typeof found === "string" ? found : undefined;
}

function escaped(text: string): string {
  return text.replace(/[.*+?^${}()|[\]\\]/g, "\\$&");
}

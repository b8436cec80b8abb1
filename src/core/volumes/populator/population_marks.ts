import { type DraftMeta, type KubeObject, keyOf, type ObjectKey } from "../../../kube/object.ts";
import { apiVersionOf, type Resource } from "../../../kube/resource.ts";
import { fingerprint } from "../../../lib/hash.ts";
import { labelValue, objectName } from "../../../lib/names.ts";

/** On a prime claim: as a label the UID of the claim that it is filled for, as an annotation its name. */
export const PRIME_FOR = "holdfast.dev/prime-for";
/** Annotation of a prime claim, as `apiVersion kind name uid`: the object that its data comes from. */
export const PRIME_FROM = "holdfast.dev/prime-from";
/** Annotation of a prime claim of a new claim: what was asked for, whatever others made of it. */
export const PRIME_ASKED = "holdfast.dev/prime-asked";
/** Finalizer of a prime claim: its volume was handed over, or goes along with it. */
export const PRIME_HELD = "holdfast.dev/prime-claim";
/** Annotation of a volume: the UID of the claim that it was filled for. It stays. */
export const FILLED_FOR = "holdfast.dev/filled-for";
/** Annotation of a volume that is being handed over: its reclaim policy before and after. */
export const POLICY_KEPT = "holdfast.dev/reclaim-policy";
/** Annotation of a claim that got its data: its own UID, so that a copy of the manifest says nothing. */
export const POPULATED = "holdfast.dev/populated";

/** On a claim: the node of its first consumer. */
export const SELECTED_NODE = "volume.kubernetes.io/selected-node";

/** The object that claims name in their dataSourceRef, in their namespace. */
export interface PopulationSource {
  readonly resource: Resource;
  readonly name: string;
  /** Absent where there is none of that name. */
  readonly uid?: string | undefined;
}

/** The same claim gives the same name, in whatever process. */
export function primeName(claim: KubeObject): string {
  return nameFor(primeLabel(claim));
}

function nameFor(label: string): string {
  return objectName("pvc-prime", fingerprint(label, 12));
}

export function primeMeta(claim: KubeObject, source: PopulationSource): DraftMeta {
  const { namespace, annotations, name: claimName } = claim.metadata;
  const node = annotations?.[SELECTED_NODE];
  return {
    ...(namespace === undefined ? {} : { namespace }),
    name: primeName(claim),
    labels: { "app.kubernetes.io/managed-by": "holdfast", [PRIME_FOR]: primeLabel(claim) },
    annotations: {
      [PRIME_FOR]: claimName,
      [PRIME_FROM]: `${apiVersionOf(source.resource)} ${source.resource.kind} ${source.name} ${source.uid ?? ""}`,
      ...(node === undefined ? {} : { [SELECTED_NODE]: node }),
    },
    finalizers: [PRIME_HELD],
  };
}

function primeLabel({ metadata }: KubeObject): string {
  return labelValue(metadata.uid);
}

/** By label and name together: somebody's own claim that carries our marks is none. */
export function isPrime({ metadata }: KubeObject): boolean {
  const label = metadata.labels?.[PRIME_FOR];
  return label !== undefined && metadata.name === nameFor(label);
}

export function isPrimeFor(prime: KubeObject, claim: KubeObject): boolean {
  return isPrime(prime) && prime.metadata.labels?.[PRIME_FOR] === primeLabel(claim);
}

/** The key of the source of this kind that a prime claim is filled from. */
export function primeSource(prime: KubeObject, resource: Resource): ObjectKey | undefined {
  if (!isPrime(prime)) return undefined;
  const { metadata } = prime;
  const [apiVersion, kind, name] = (metadata.annotations?.[PRIME_FROM] ?? "").split(" ");
  if (apiVersion !== apiVersionOf(resource) || kind !== resource.kind || !name) return undefined;
  return keyOf({ namespace: metadata.namespace, name });
}

/** Whether a prime claim was made for this very source, and not for an earlier one of its name. */
export function isPrimeFrom({ metadata }: KubeObject, { uid }: PopulationSource): boolean {
  return metadata.annotations?.[PRIME_FROM]?.split(" ")[3] === uid;
}

/** For the runs that fill a prime claim: they end with it. */
export function primeRunLabels({ metadata }: KubeObject): Readonly<Record<string, string>> {
  return { [PRIME_FOR]: metadata.labels?.[PRIME_FOR] ?? "" };
}

/** The name of the claim that a prime claim is filled for. */
export function primeTarget({ metadata }: KubeObject): string {
  return metadata.annotations?.[PRIME_FOR] ?? "";
}

export function isPopulated({ metadata }: KubeObject): boolean {
  return metadata.annotations?.[POPULATED] === metadata.uid;
}

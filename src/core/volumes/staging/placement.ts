import type { Affinity, NodeSelectorTerm, Taint, Toleration } from "kubernetes-types/core/v1.d.ts";
import type { Pod } from "../../../kube/builtin.ts";
import type { Node, Volume } from "./observed_staging.ts";

/** Where a mover has to run to reach a volume. */
export interface Placement {
  /** A node has to meet one of these, all of it. */
  readonly terms: readonly NodeSelectorTerm[];
  readonly tolerations: readonly Toleration[];
  /** The one node, where there is only one. */
  readonly node?: string;
}

/** What a node has while it can run nothing: a mover waits until it is over. */
const UNUSABLE: readonly string[] = [
  "node.kubernetes.io/not-ready",
  "node.kubernetes.io/unreachable",
  "node.kubernetes.io/out-of-service",
];

/** Beside the pod that uses the volume: for volumes that are attached to one node at a time. */
export function besideUser(pods: readonly Pod[], nodes: readonly Node[]): Placement | undefined {
  const user = pods.filter(isOnNode).toSorted((a, b) => settled(b) - settled(a))[0];
  const name = user?.spec?.nodeName;
  if (!name) return undefined;
  const node = nodes.find(({ metadata }) => metadata.name === name);
  const tolerations = node ? (node.spec?.taints ?? []).map(tolerationOf) : (user.spec?.tolerations ?? []);
  return {
    terms: [{ matchFields: [{ key: "metadata.name", operator: "In", values: [name] }] }],
    tolerations: tolerations.filter(({ key = "" }) => !UNUSABLE.includes(key)),
    node: name,
  };
}

/** Where the volume itself can be: a copy that is made for its first consumer may only be possible there. */
export function whereVolumeIs(volume: Volume | undefined): Placement | undefined {
  const terms = volume?.spec?.nodeAffinity?.required?.nodeSelectorTerms ?? [];
  return terms.length === 0 ? undefined : { terms, tolerations: [] };
}

/** Settings of a mover that runs where all of these can be reached, and where its own settings allow. */
export function placed<S extends Placeable>(settings: S, placements: readonly Placement[]): S {
  if (placements.length === 0) return settings;
  const { affinity, tolerations = [] } = settings;
  const { nodeAffinity } = affinity ?? {};
  const own = nodeAffinity?.requiredDuringSchedulingIgnoredDuringExecution?.nodeSelectorTerms ?? [];
  const nodeSelectorTerms = [own, ...placements.map(({ terms }) => terms)]
    .filter((terms) => terms.length > 0)
    .reduce<readonly NodeSelectorTerm[]>(both, [{}]);
  return {
    ...settings,
    affinity: {
      ...affinity,
      nodeAffinity: {
        ...nodeAffinity,
        requiredDuringSchedulingIgnoredDuringExecution: { nodeSelectorTerms: [...nodeSelectorTerms] },
      },
    },
    tolerations: distinct([...tolerations, ...placements.flatMap((one) => one.tolerations)]),
  };
}

/** What of a mover's settings says where it runs. */
export interface Placeable {
  readonly affinity?: Affinity;
  readonly tolerations?: readonly Toleration[];
}

function isOnNode({ spec, status }: Pod): boolean {
  return spec?.nodeName !== undefined && status?.phase !== "Succeeded" && status?.phase !== "Failed";
}

/** The more, the longer the pod will stay where it is. */
function settled({ metadata, status }: Pod): number {
  return (metadata.deletionTimestamp ? 0 : 2) + (status?.phase === "Running" ? 1 : 0);
}

function tolerationOf({ key, value, effect }: Taint): Toleration {
  return value ? { key, operator: "Equal", value, effect } : { key, operator: "Exists", effect };
}

/** Terms are alternatives, so that to meet one of each is to meet one of the pairs. */
function both(
  some: readonly NodeSelectorTerm[],
  others: readonly NodeSelectorTerm[],
): readonly NodeSelectorTerm[] {
  return some.flatMap((a) => others.map((b) => joined(a, b)));
}

function joined(a: NodeSelectorTerm, b: NodeSelectorTerm): NodeSelectorTerm {
  const matchExpressions = distinct([...(a.matchExpressions ?? []), ...(b.matchExpressions ?? [])]);
  const matchFields = distinct([...(a.matchFields ?? []), ...(b.matchFields ?? [])]);
  return {
    ...(matchExpressions.length === 0 ? {} : { matchExpressions }),
    ...(matchFields.length === 0 ? {} : { matchFields }),
  };
}

function distinct<T>(items: readonly T[]): T[] {
  return [...new Map(items.map((item) => [JSON.stringify(item), item])).values()];
}

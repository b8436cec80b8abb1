import { CONDITIONS } from "../../../kinds/kopiur/condition_types.ts";
import type {
  ClusterRepository,
  ClusterRepositoryStatus,
} from "../../../kinds/kopiur/generated/cluster_repository.ts";
import { mergeConditions, type WantedCondition } from "../../../kube/write/conditions.ts";
import type { Decision } from "../decision.ts";

export interface Tenancy {
  readonly repository: ClusterRepository;
  /** How many of the namespaces that there are may use it. */
  readonly count: number;
  readonly now: number;
}

/** The decision about a shared repository, with whom it is for. */
export function withTenancy(
  decision: Decision<ClusterRepositoryStatus>,
  { repository, count, now }: Tenancy,
): Decision<ClusterRepositoryStatus> {
  const status = decision.status ?? repository.status ?? {};
  const wanted = enforced(repository, count);
  if (!decision.status && status.allowedNamespaceCount === count && isSaid(status, wanted)) return decision;
  const conditions = mergeConditions(status.conditions ?? [], [wanted], now);
  return { ...decision, status: { ...status, allowedNamespaceCount: count, conditions } };
}

function enforced({ metadata, spec }: ClusterRepository, count: number): WantedCondition {
  const { generation } = metadata;
  const { reason, message } = whom(spec.allowedNamespaces, count);
  return {
    type: CONDITIONS.tenancyEnforced,
    status: "True",
    reason,
    message,
    ...(generation === undefined ? {} : { observedGeneration: generation }),
  };
}

function whom(allowed: ClusterRepository["spec"]["allowedNamespaces"], count: number) {
  if ("all" in allowed)
    return { reason: "All", message: `Every namespace may use it: there are ${count} now.` };
  const [reason, how] = "list" in allowed ? ["List", "lists"] : ["Selector", "selects"];
  return {
    reason,
    message: `No namespace may use it but those that allowedNamespaces ${how}: ${count} of them are there now.`,
  };
}

function isSaid({ conditions = [] }: ClusterRepositoryStatus, wanted: WantedCondition): boolean {
  const said = conditions.find(({ type }) => type === wanted.type);
  return said?.message === wanted.message && said.observedGeneration === wanted.observedGeneration;
}

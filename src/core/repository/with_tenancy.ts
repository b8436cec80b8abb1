import { mergeConditions, type WantedCondition } from "../../kube/write/conditions.ts";
import type { AllowedNamespaces } from "../consent/permission.ts";
import { CONDITIONS } from "../reconcile/condition_types.ts";
import type { Decision } from "../reconcile/decision.ts";
import type { Repository, RepositoryState } from "./repository.ts";

export interface Tenancy {
  readonly repository: Repository;
  /** How many of the namespaces that there are may use it. */
  readonly count: number;
  readonly now: number;
}

/** The decision about a shared repository, with whom it is for. */
export function withTenancy(
  decision: Decision<RepositoryState>,
  { repository, count, now }: Tenancy,
): Decision<RepositoryState> {
  const status = decision.status ?? repository.status ?? {};
  const wanted = enforced(repository, count);
  if (!decision.status && status.allowedNamespaceCount === count && isSaid(status, wanted)) return decision;
  const conditions = mergeConditions(status.conditions ?? [], [wanted], now);
  return { ...decision, status: { ...status, allowedNamespaceCount: count, conditions } };
}

function enforced({ metadata, spec }: Repository, count: number): WantedCondition {
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

function whom(allowed: AllowedNamespaces = {}, count: number) {
  if (allowed.all) return { reason: "All", message: `Every namespace may use it: there are ${count} now.` };
  const [reason, how] = allowed.list ? ["List", "lists"] : ["Selector", "selects"];
  return {
    reason,
    message: `No namespace may use it but those that it ${how}: ${count} of them are there now.`,
  };
}

function isSaid({ conditions = [] }: RepositoryState, wanted: WantedCondition): boolean {
  const said = conditions.find(({ type }) => type === wanted.type);
  return said?.message === wanted.message && said.observedGeneration === wanted.observedGeneration;
}

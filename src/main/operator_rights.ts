import type { Api } from "../core/api.ts";
import { admissionRemovalRights } from "../core/api_rights.ts";
import { leaderRights } from "../kube/controller/leader_rights.ts";
import { type ConditionalRule, conditionalRules } from "../kube/policy_rules.ts";
import type { Right } from "../kube/rights.ts";
import { APIS } from "./apis.ts";
import { LEASE } from "./operator_settings.ts";

/** What the program asks for whatever it serves: an API that it does not may have been served by an earlier start. */
export const OPERATOR_RIGHTS: readonly Right[] = [
  ...leaderRights(LEASE),
  ...APIS.flatMap(({ name }) => admissionRemovalRights(name)),
];

/** The rules of an operator that serves these APIs. */
export function operatorRules(apis: readonly Api[]): readonly ConditionalRule[] {
  return conditionalRules([...OPERATOR_RIGHTS, ...apis.flatMap(({ rights }) => rights)]);
}

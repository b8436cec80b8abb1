import { KOPIUR_RIGHTS, KOPIUR_WEBHOOK_REMOVAL_RIGHTS } from "../apis/kopiur/kopiur_rights.ts";
import { leaderRights } from "../kube/controller/leader_rights.ts";
import { type ConditionalRule, conditionalRules } from "../kube/policy_rules.ts";
import type { Right } from "../kube/rights.ts";
import { type ApiName, LEASE } from "./operator_settings.ts";

/** What the program asks for whatever it serves: an API that it does not may have been served by an earlier start. */
export const OPERATOR_RIGHTS: readonly Right[] = [...leaderRights(LEASE), ...KOPIUR_WEBHOOK_REMOVAL_RIGHTS];

/** What each API that can be served asks for. */
export const API_RIGHTS: Readonly<Record<ApiName, readonly Right[]>> = { kopiur: KOPIUR_RIGHTS };

/** The rules of an operator that serves these APIs. */
export function operatorRules(apis: readonly ApiName[]): readonly ConditionalRule[] {
  return conditionalRules([...OPERATOR_RIGHTS, ...apis.flatMap((api) => API_RIGHTS[api])]);
}

import { KOPIUR_WEBHOOK_REMOVAL_RIGHTS } from "../apis/kopiur/kopiur_rights.ts";
import { KOPIUR_LEAVING_RIGHTS } from "../apis/kopiur/leaving/kopiur_leaving_rights.ts";
import { leaderRights } from "../kube/controller/leader_rights.ts";
import { type ConditionalRule, conditionalRules } from "../kube/policy_rules.ts";
import type { Right } from "../kube/rights.ts";
import { type ApiName, LEASE } from "./operator_settings.ts";

/** What `letGo` asks for whatever was served. */
export const LET_GO_RIGHTS: readonly Right[] = [...leaderRights(LEASE), ...KOPIUR_WEBHOOK_REMOVAL_RIGHTS];

/** What it asks for to let go of the objects of each API that was served. */
export const API_LET_GO_RIGHTS: Readonly<Record<ApiName, readonly Right[]>> = {
  kopiur: KOPIUR_LEAVING_RIGHTS,
};

/** The rules of `letGo` after an operator that served these APIs. */
export function letGoRules(apis: readonly ApiName[]): readonly ConditionalRule[] {
  return conditionalRules([...LET_GO_RIGHTS, ...apis.flatMap((api) => API_LET_GO_RIGHTS[api])]);
}

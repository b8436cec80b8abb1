import type { Api } from "../core/api.ts";
import { admissionRemovalRights } from "../core/api_rights.ts";
import { leaderRights } from "../kube/controller/leader_rights.ts";
import { type ConditionalRule, conditionalRules } from "../kube/policy_rules.ts";
import type { Right } from "../kube/rights.ts";
import { releaseRights } from "../kube/write/release_rights.ts";
import { crdRemovalRights } from "../kube/write/remove_crds.ts";
import { APIS } from "./apis.ts";
import { LEASE } from "./operator_settings.ts";

/** What the cleanup asks for whatever was served. */
export const CLEANUP_RIGHTS: readonly Right[] = [
  ...leaderRights(LEASE),
  ...APIS.flatMap(({ name }) => admissionRemovalRights(name)),
];

/** What it asks for where this API was served. */
export function apiCleanupRights({ kinds, removal }: Api): readonly Right[] {
  return [
    ...removal.finalizers.map(releaseRights),
    ...removal.rights,
    ...crdRemovalRights(kinds.map(({ resource }) => resource)),
  ];
}

/** The rules of the cleanup after an operator that served these APIs. */
export function cleanupRules(apis: readonly Api[]): readonly ConditionalRule[] {
  return conditionalRules([...CLEANUP_RIGHTS, ...apis.flatMap(apiCleanupRights)]);
}

import { describe } from "vitest";
import { aheadCases } from "./ahead_cases.ts";
import { faultCases } from "./fault_cases.ts";
import { fidelityCases } from "./fidelity_cases.ts";
import type { EngineUnderTest } from "./ground.ts";
import { ownershipCases } from "./ownership_cases.ts";
import { repositoryCases } from "./repository_cases.ts";
import { restoreCases } from "./restore_cases.ts";
import { snapshotCases } from "./snapshot_cases.ts";

const GROUPS = {
  fidelity: fidelityCases,
  snapshots: snapshotCases,
  restores: restoreCases,
  repository: repositoryCases,
  ownership: ownershipCases,
  ahead: aheadCases,
  faults: faultCases,
} as const;

export type SuiteGroup = keyof typeof GROUPS;

/** One list of expectations for every engine, on the file system. Default: all groups. */
export function engineSuite(
  under: EngineUnderTest,
  groups = Object.keys(GROUPS) as readonly SuiteGroup[],
): void {
  describe(under.name, () => {
    for (const group of groups) GROUPS[group](under);
  });
}

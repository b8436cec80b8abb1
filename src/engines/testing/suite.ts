import { describe } from "vitest";
import { fidelityCases } from "./fidelity_cases.ts";
import type { EngineUnderTest } from "./ground.ts";
import { repositoryCases } from "./repository_cases.ts";
import { restoreCases } from "./restore_cases.ts";
import { snapshotCases } from "./snapshot_cases.ts";

/** One list of expectations for every engine, on the file system. */
export function engineSuite(under: EngineUnderTest): void {
  describe(under.name, () => {
    fidelityCases(under);
    snapshotCases(under);
    restoreCases(under);
    repositoryCases(under);
  });
}

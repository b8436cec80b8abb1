import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, describe, test } from "vitest";
import { CAPABILITIES } from "../../wire/capabilities.ts";
import { type RunningStorage, StorageUnavailable, type StorageUnderTest } from "./backend_cases.ts";
import { faultCases } from "./fault_cases.ts";
import { fidelityCases } from "./fidelity_cases.ts";
import type { EngineUnderTest } from "./ground.ts";
import { lostPackCases } from "./lost_pack_cases.ts";
import { openingCases } from "./opening_cases.ts";
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
  opening: openingCases,
  faults: faultCases,
  lostPacks: lostPackCases,
} as const;

export type SuiteGroup = keyof typeof GROUPS;

/** What a mover's user may do has nothing to do with where a repository is. */
const ON_STORAGE = (Object.keys(GROUPS) as readonly SuiteGroup[]).filter((group) => group !== "ownership");

/** One list of expectations for every engine. Default: all groups. */
export function engineSuite(
  under: EngineUnderTest,
  groups = Object.keys(GROUPS) as readonly SuiteGroup[],
): void {
  describe(under.name, () => {
    for (const group of groups) GROUPS[group](under);
  });
}

/** The same with repositories on a server that the engine knows, but for what needs to get at their files. */
export function storageSuite(under: EngineUnderTest, storage: StorageUnderTest): void {
  if (!CAPABILITIES[under.name].backends.includes(storage.kind)) return;
  describe(`on ${storage.name}`, () => {
    let folder: string;
    let running: RunningStorage;
    let unavailable: string | undefined;
    // biome-ignore lint/correctness/noEmptyPattern: vitest reads from it that nothing of the context is wanted
    beforeAll(async ({}, { tasks }) => {
      folder = await mkdtemp(join(tmpdir(), "hf-server-"));
      try {
        running = await storage.start(folder);
      } catch (error) {
        if (!(error instanceof StorageUnavailable)) throw error;
        unavailable = error.message;
        // What they prepare for themselves needs it, too.
        for (const task of tasks) if (task.type === "suite") task.mode = "skip";
      }
    });
    afterAll(async () => {
      if (unavailable === undefined) await running.stop();
      await rm(folder, { recursive: true, force: true });
    });
    test("can be had", ({ skip }) => skip(unavailable !== undefined, unavailable));
    const makeEngine: EngineUnderTest["makeEngine"] = ({ env, ...options }) =>
      under.makeEngine({ ...options, env: { ...running.env, ...env } });
    engineSuite({ ...under, makeEngine, place: (name) => running.at(name) }, ON_STORAGE);
  });
}

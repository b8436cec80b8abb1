import { dirname } from "node:path";
import { KopiaEngine } from "../../src/engines/kopia/kopia_engine.ts";
import type { EngineUnderTest, MakeEngine } from "../../src/engines/testing/ground.ts";
import { systemClock } from "../../src/lib/clock.ts";
import { systemRandom } from "../../src/lib/random.ts";
import { systemStreamedProcesses } from "../../src/lib/streamed_process.ts";
import { pinnedProgram } from "../../tools/cluster/programs.ts";
import { INSTEAD, type Keys, testEngine } from "../../tools/images/test_engines.ts";

/** The path of kopia itself. */
export const kopiaProgram = () => testEngine("kopia");

export const kopiaWith =
  (keys: Keys): MakeEngine =>
  ({ folder, env = {}, processes = systemStreamedProcesses, clock = systemClock, standstillMs }) =>
    new KopiaEngine({
      program: testEngine("kopia", keys),
      fidelityProgram: pinnedProgram("holdfast-fidelity"),
      folder,
      // Nothing else is there: the mover's image has no programs but its own.
      env: { PATH: dirname(pinnedProgram("rclone-few")), ...env },
      processes,
      clock,
      ...(standstillMs === undefined ? {} : { standstillMs }),
      random: systemRandom,
    });

/** By the names that they are pinned under. */
export const kopiaPrograms = (keys: Keys) => () => ({
  [INSTEAD[keys].kopia ?? "kopia"]: testEngine("kopia", keys),
  "holdfast-fidelity": pinnedProgram("holdfast-fidelity"),
});

/** kopia as the tests of its driver use it. */
export const makeEngine = kopiaWith("cheap");

export const kopia: EngineUnderTest = {
  name: "kopia",
  makeEngine,
  module: import.meta.filename,
  programs: kopiaPrograms("cheap"),
};

import { dirname } from "node:path";
import { KopiaEngine } from "../../src/engines/kopia/kopia_engine.ts";
import type { EngineUnderTest, MakeEngine } from "../../src/engines/testing/ground.ts";
import { systemClock } from "../../src/lib/clock.ts";
import { systemRandom } from "../../src/lib/random.ts";
import { systemStreamedProcesses } from "../../src/lib/streamed_process.ts";
import { pinnedProgram } from "../../tools/cluster/programs.ts";

/** The path of kopia itself. */
export const kopiaProgram = () => pinnedProgram("kopia");

/** kopia as the tests use it. */
export const makeEngine: MakeEngine = ({
  folder,
  env = {},
  processes = systemStreamedProcesses,
  clock = systemClock,
  standstillMs,
}) =>
  new KopiaEngine({
    program: kopiaProgram(),
    fidelityProgram: pinnedProgram("holdfast-fidelity"),
    folder,
    // Nothing else is there: the mover's image has no programs but its own.
    env: { PATH: dirname(pinnedProgram("rclone-few")), ...env },
    processes,
    clock,
    ...(standstillMs === undefined ? {} : { standstillMs }),
    random: systemRandom,
  });

export const kopia: EngineUnderTest = {
  name: "kopia",
  makeEngine,
  module: import.meta.filename,
  programs: () => ({ kopia: kopiaProgram(), "holdfast-fidelity": pinnedProgram("holdfast-fidelity") }),
};

import { ResticEngine } from "../../src/engines/restic/engine.ts";
import type { EngineUnderTest, MakeEngine } from "../../src/engines/testing/ground.ts";
import { systemClock } from "../../src/lib/clock.ts";
import { systemStreamedProcesses } from "../../src/lib/streamed_process.ts";
import { pinnedProgram, SEARCH_PATH } from "../../tools/cluster/programs.ts";

/** restic as the tests use it. */
export const makeEngine: MakeEngine = ({
  folder,
  env = {},
  processes = systemStreamedProcesses,
  standstillMs,
}) =>
  new ResticEngine({
    program: pinnedProgram("restic"),
    processes,
    clock: systemClock,
    ...(standstillMs === undefined ? {} : { standstillMs }),
    folder,
    env: { PATH: SEARCH_PATH, ...env },
    rclone: pinnedProgram("rclone-few"),
    fidelityProgram: pinnedProgram("holdfast-fidelity"),
  });

export const restic: EngineUnderTest = {
  name: "restic",
  makeEngine,
  module: import.meta.filename,
  programs: () => ({
    restic: pinnedProgram("restic"),
    rclone: pinnedProgram("rclone-few"),
    "holdfast-fidelity": pinnedProgram("holdfast-fidelity"),
  }),
};

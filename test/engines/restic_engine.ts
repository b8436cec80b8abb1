import { ResticEngine } from "../../src/engines/restic/engine.ts";
import type { EngineUnderTest, MakeEngine } from "../../src/engines/testing/ground.ts";
import { systemClock } from "../../src/lib/clock.ts";
import { systemStreamedProcesses } from "../../src/lib/streamed_process.ts";
import { pinnedProgram } from "../../tools/cluster/programs.ts";

/** restic as the tests use it. */
export const makeEngine: MakeEngine = ({
  folder,
  env = {},
  processes = systemStreamedProcesses,
  clock = systemClock,
  standstillMs,
}) =>
  new ResticEngine({
    program: pinnedProgram("restic"),
    processes,
    clock,
    ...(standstillMs === undefined ? {} : { standstillMs }),
    folder,
    // No PATH: the mover's image has no programs but its own.
    env,
    rclone: pinnedProgram("rclone-few"),
    sftpProgram: pinnedProgram("holdfast-sftp"),
    fidelityProgram: pinnedProgram("holdfast-fidelity"),
  });

export const restic: EngineUnderTest = {
  name: "restic",
  makeEngine,
  module: import.meta.filename,
  programs: () => ({
    restic: pinnedProgram("restic"),
    rclone: pinnedProgram("rclone-few"),
    "holdfast-sftp": pinnedProgram("holdfast-sftp"),
    "holdfast-fidelity": pinnedProgram("holdfast-fidelity"),
  }),
};

import { ResticEngine } from "../../src/engines/restic/engine.ts";
import type { EngineUnderTest, MakeEngine } from "../../src/engines/testing/ground.ts";
import { systemClock } from "../../src/lib/clock.ts";
import { systemStreamedProcesses } from "../../src/lib/streamed_process.ts";
import { pinnedProgram } from "../../tools/cluster/programs.ts";
import { INSTEAD, type Keys, testEngine } from "../../tools/images/test_engines.ts";

/** The path of restic itself. */
export const resticProgram = () => testEngine("restic");

export const resticWith =
  (keys: Keys): MakeEngine =>
  ({ folder, env = {}, processes = systemStreamedProcesses, clock = systemClock, standstillMs }) =>
    new ResticEngine({
      program: testEngine("restic", keys),
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

/** By the names that they are pinned under. */
export const resticPrograms = (keys: Keys) => () => ({
  [INSTEAD[keys].restic ?? "restic"]: testEngine("restic", keys),
  "rclone-few": pinnedProgram("rclone-few"),
  "holdfast-sftp": pinnedProgram("holdfast-sftp"),
  "holdfast-fidelity": pinnedProgram("holdfast-fidelity"),
});

/** restic as the tests of its driver use it. */
export const makeEngine = resticWith("cheap");

export const restic: EngineUnderTest = {
  name: "restic",
  makeEngine,
  module: import.meta.filename,
  programs: resticPrograms("cheap"),
};

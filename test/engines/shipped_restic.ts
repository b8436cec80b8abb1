import type { EngineUnderTest } from "../../src/engines/testing/ground.ts";
import { resticPrograms, resticWith } from "./restic_engine.ts";

/** restic as it is shipped, with keys that cost what they should. */
export const makeEngine = resticWith("shipped");

export const shippedRestic: EngineUnderTest = {
  name: "restic",
  makeEngine,
  module: import.meta.filename,
  programs: resticPrograms("shipped"),
};

import type { EngineUnderTest } from "../../src/engines/testing/ground.ts";
import { kopiaPrograms, kopiaWith } from "./kopia_engine.ts";

/** kopia as it is shipped, with keys that cost what they should. */
export const makeEngine = kopiaWith("shipped");

export const shippedKopia: EngineUnderTest = {
  name: "kopia",
  makeEngine,
  module: import.meta.filename,
  programs: kopiaPrograms("shipped"),
};

import { engineSuite } from "../../src/engines/testing/suite.ts";
import { kopia } from "./kopia_engine.ts";

// Everything takes minutes: the full matrix runs all groups.
engineSuite(
  kopia,
  process.env.HOLDFAST_LONG ? undefined : ["fidelity", "opening", "ownership", "repository", "lostPacks"],
);

import { engineSuite } from "../../src/engines/testing/suite.ts";
import { restic } from "./restic_engine.ts";

// Everything takes minutes: the full matrix runs all groups.
engineSuite(
  restic,
  process.env.HOLDFAST_LONG ? undefined : ["fidelity", "opening", "ownership", "repository", "lostPacks"],
);

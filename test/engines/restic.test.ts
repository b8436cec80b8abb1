import { engineSuite } from "../../src/engines/testing/suite.ts";
import { shippedRestic } from "./shipped_restic.ts";

// Everything takes minutes: the full matrix runs all groups.
engineSuite(
  shippedRestic,
  process.env.HOLDFAST_LONG ? undefined : ["fidelity", "opening", "ownership", "repository", "lostPacks"],
);

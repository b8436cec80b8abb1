import { engineSuite } from "../../src/engines/testing/suite.ts";
import { shippedKopia } from "./shipped_kopia.ts";

// Everything takes minutes: the full matrix runs all groups.
engineSuite(
  shippedKopia,
  process.env.HOLDFAST_LONG ? undefined : ["fidelity", "opening", "ownership", "repository", "lostPacks"],
);

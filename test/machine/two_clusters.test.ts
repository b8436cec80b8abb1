import { describe } from "vitest";
import { embeddedCan, embeddedWorld } from "../scenarios/embedded_world.ts";
import { twoClusters } from "../scenarios/two_clusters.ts";

describe.runIf(embeddedCan)("two embedded worlds", () => {
  twoClusters(embeddedWorld, embeddedWorld);
});

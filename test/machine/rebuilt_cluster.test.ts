import { describe } from "vitest";
import { embeddedCan, embeddedWorld } from "../scenarios/embedded_world.ts";
import { rebuiltCluster } from "../scenarios/rebuilt_cluster.ts";

describe.runIf(embeddedCan)("in the embedded world", () => {
  rebuiltCluster(embeddedWorld);
});

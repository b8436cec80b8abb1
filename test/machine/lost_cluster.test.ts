import { describe } from "vitest";
import { embeddedCan, embeddedWorld } from "../scenarios/embedded_world.ts";
import { lostCluster } from "../scenarios/lost_cluster.ts";

describe.runIf(embeddedCan)("in the embedded world", () => {
  lostCluster(embeddedWorld, { host: "127.0.0.1", latest: 3_000 });
});

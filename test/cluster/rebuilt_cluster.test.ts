import { describe } from "vitest";
import { clusterWorld } from "../scenarios/cluster_world.ts";
import { LONG } from "../scenarios/faults_moments.ts";
import { lostCluster } from "../scenarios/lost_cluster.ts";
import { mortalClusterWorld } from "../scenarios/mortal_cluster_world.ts";
import { rebuiltCluster } from "../scenarios/rebuilt_cluster.ts";

rebuiltCluster(clusterWorld);

describe.runIf(LONG)("on clusters that really end", () => {
  lostCluster(mortalClusterWorld, {
    host: "0.0.0.0",
    // Pods take their time to start.
    latest: 20_000,
  });
});

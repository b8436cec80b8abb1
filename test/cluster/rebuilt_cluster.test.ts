import { clusterWorld } from "../scenarios/cluster_world.ts";
import { rebuiltCluster } from "../scenarios/rebuilt_cluster.ts";

rebuiltCluster(clusterWorld);

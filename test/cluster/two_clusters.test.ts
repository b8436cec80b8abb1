import { clusterWorld } from "../scenarios/cluster_world.ts";
import { embeddedWorld } from "../scenarios/embedded_world.ts";
import { twoClusters } from "../scenarios/two_clusters.ts";

twoClusters(clusterWorld, embeddedWorld);

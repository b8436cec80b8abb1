import { clusterWorld } from "../scenarios/cluster_world.ts";
import { queue } from "../scenarios/queue.ts";

queue(clusterWorld);

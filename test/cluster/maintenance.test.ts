import { clusterWorld } from "../scenarios/cluster_world.ts";
import { maintenance } from "../scenarios/maintenance.ts";

maintenance(clusterWorld);

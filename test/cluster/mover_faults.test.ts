import { clusterWorld } from "../scenarios/cluster_world.ts";
import { faults } from "../scenarios/faults.ts";

faults(clusterWorld, { brief: true });

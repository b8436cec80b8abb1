import { clusterWorld } from "../scenarios/cluster_world.ts";
import { population } from "../scenarios/population.ts";

population(clusterWorld);

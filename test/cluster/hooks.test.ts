import { clusterWorld } from "../scenarios/cluster_world.ts";
import { hooks } from "../scenarios/hooks.ts";

hooks(clusterWorld);

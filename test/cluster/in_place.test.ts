import { clusterWorld } from "../scenarios/cluster_world.ts";
import { inPlace } from "../scenarios/in_place.ts";

inPlace(clusterWorld);

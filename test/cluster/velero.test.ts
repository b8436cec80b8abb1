import { clusterWorld } from "../scenarios/cluster_world.ts";
import { veleroDataPath } from "../scenarios/velero.ts";

veleroDataPath(clusterWorld);

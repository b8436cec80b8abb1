import { clusterWorld } from "../scenarios/cluster_world.ts";
import { sampleApi } from "../scenarios/sample_api.ts";

sampleApi(clusterWorld);

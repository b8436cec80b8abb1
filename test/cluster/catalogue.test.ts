import { catalogue } from "../scenarios/catalogue.ts";
import { clusterWorld } from "../scenarios/cluster_world.ts";

catalogue(clusterWorld);

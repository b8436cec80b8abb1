import { autorestores } from "../scenarios/autorestore.ts";
import { clusterWorld } from "../scenarios/cluster_world.ts";

autorestores(clusterWorld);

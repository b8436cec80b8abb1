import { clusterWorld } from "../scenarios/cluster_world.ts";
import { cozystackPlans } from "../scenarios/cozystack.ts";

cozystackPlans(clusterWorld);

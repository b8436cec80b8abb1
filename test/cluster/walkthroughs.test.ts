import { clusterWorld } from "../scenarios/cluster_world.ts";
import { walkthroughs } from "../scenarios/walkthroughs.ts";

walkthroughs(clusterWorld);

import { clusterWorld } from "../scenarios/cluster_world.ts";
import { staging } from "../scenarios/staging.ts";

staging(clusterWorld);

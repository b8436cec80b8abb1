import { clusterWorld } from "../scenarios/cluster_world.ts";
import { plumberScenarios } from "../scenarios/plumber.ts";

plumberScenarios(clusterWorld);

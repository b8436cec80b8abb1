import { clusterWorld } from "../scenarios/cluster_world.ts";
import { schedules } from "../scenarios/schedules.ts";

schedules(clusterWorld);

import { apiServerAway } from "../scenarios/api_server_away.ts";
import { clusterWorld } from "../scenarios/cluster_world.ts";

apiServerAway(clusterWorld);

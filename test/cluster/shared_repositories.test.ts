import { clusterWorld } from "../scenarios/cluster_world.ts";
import { sharedRepositories } from "../scenarios/shared_repositories.ts";

sharedRepositories(clusterWorld);

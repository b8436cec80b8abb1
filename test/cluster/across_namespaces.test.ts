import { acrossNamespaces } from "../scenarios/across_namespaces.ts";
import { clusterWorld } from "../scenarios/cluster_world.ts";

acrossNamespaces(clusterWorld);

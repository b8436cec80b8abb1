import { acrossNamespaces } from "../scenarios/across_namespaces.ts";
import { clusterWorld } from "../scenarios/cluster_world.ts";
import { LONG } from "../scenarios/faults_moments.ts";

acrossNamespaces(clusterWorld, { reaching: LONG });

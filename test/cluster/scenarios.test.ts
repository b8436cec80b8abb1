import { backupAndRestore } from "../scenarios/backup_and_restore.ts";
import { clusterWorld } from "../scenarios/cluster_world.ts";

backupAndRestore(clusterWorld);

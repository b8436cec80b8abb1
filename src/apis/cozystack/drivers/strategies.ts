import { jobResource } from "../../../kinds/cozystack/generated/job.ts";
import { jobBackupStrategyResource } from "../../../kinds/cozystack/generated/job_backup_strategy.ts";
import { veleroResource } from "../../../kinds/cozystack/generated/velero.ts";
import { volumeResource } from "../../../kinds/cozystack/generated/volume.ts";
import type { KubeObject } from "../../../kube/object.ts";
import type { Resource } from "../../../kube/resource.ts";

/** The kinds of strategies whose drivers come with this program. All others are left alone. */
export const STRATEGIES = [
  volumeResource,
  jobResource,
  veleroResource,
  jobBackupStrategyResource,
] as unknown as readonly Resource<KubeObject>[];

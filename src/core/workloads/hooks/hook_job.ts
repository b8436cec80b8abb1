import type { JobSpec } from "kubernetes-types/batch/v1.d.ts";
import type { Job } from "../../../kube/builtin.ts";
import type { Draft } from "../../../kube/object.ts";
import { runAnnotations, runLabels } from "../../work/run_labels.ts";
import { type HookSeries, hookId, lentTo } from "./hook.ts";

/** How long a Job stays after its end, in seconds: an operator that was away that long does not learn of it any more. */
const KEPT = 3600;
/** The same for a Job whose end is that of a backup or a restore: it outlasts an operator that is away for days. */
const KEPT_FOR_ITS_REPORT = 7 * 86_400;
/** What the cluster gives a Job beyond its hook's time, in seconds: who tells of a late one is the operator, if it runs. */
const SPARE = 30;

/**
 * The Job of a hook, as its spec has it, within the hook's time. It runs once, and under this account, unless the spec
 * says otherwise.
 */
export function hookJob(
  series: HookSeries,
  index: number,
  spec: JobSpec,
  serviceAccountName?: string,
): Draft<Job> {
  const { owner, namespace, hooks } = series;
  const id = hookId(series, index);
  const labels = runLabels({ id, owner });
  const annotations = runAnnotations({ owner });
  const { metadata, spec: pod } = spec.template;
  const action = hooks[index]?.action;
  const reports = action !== undefined && "job" in action && action.reports === true;
  const lends = lentTo(series, index) !== undefined;
  const longest = Math.ceil((hooks[index]?.timeout ?? 0) / 1000) + SPARE;
  return {
    metadata: { name: id, namespace, labels, annotations, ownerReferences: [owner] },
    spec: {
      backoffLimit: 0,
      ...spec,
      // What it is lent belongs to it, and so comes after it.
      suspend: lends,
      // What it was lent goes with it, as soon as an operator has read how it ended: `Hooks` removes it then.
      ttlSecondsAfterFinished: reports ? KEPT_FOR_ITS_REPORT : KEPT,
      activeDeadlineSeconds: Math.min(spec.activeDeadlineSeconds ?? longest, longest),
      template: {
        metadata: {
          ...metadata,
          labels: { ...metadata?.labels, ...labels },
          annotations: { ...metadata?.annotations, ...annotations },
        },
        spec: {
          restartPolicy: "Never",
          containers: [],
          ...(serviceAccountName ? { serviceAccountName } : {}),
          ...pod,
        },
      },
    },
  };
}

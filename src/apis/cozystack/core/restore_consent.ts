import {
  type ConsentRules,
  type Crossing,
  crossingProblem,
  listedBy,
} from "../../../core/consent/crossing.ts";
import { namesIn } from "../../../core/consent/lent_secret.ts";
import { listed } from "../../../core/consent/permission.ts";
import { type Problem, waits } from "../../../core/reconcile/problem.ts";
import type { Violation } from "../../../core/reconcile/violation.ts";
import type { Backup } from "../../../kinds/cozystack/generated/backup.ts";
import { type RestoreJob, restoreJobResource } from "../../../kinds/cozystack/generated/restore_job.ts";
import { STRATEGY_GROUP } from "../../../kinds/cozystack/group.ts";
import { RESTORES_ELSEWHERE, RESTORES_FROM } from "../../../kinds/cozystack/labels.ts";
import type { Found } from "../../../kube/cache/found.ts";
import { type KubeObject, keyOf, type ObjectKey } from "../../../kube/object.ts";

/** The namespace of the application that a RestoreJob restores into. */
export function targetNamespaceOf({ metadata, spec }: RestoreJob): string {
  return spec.targetNamespace ?? metadata.namespace ?? "";
}

/** The namespace that a RestoreJob reaches into, where it is another one. */
export function restoreCrossings(job: RestoreJob): readonly Crossing[] {
  const namespace = targetNamespaceOf(job);
  if (namespace === job.metadata.namespace) return [];
  return [{ kind: job.kind, namespace, field: "spec.targetNamespace" }];
}

/** The RestoreJobs of other namespaces that reach into this one. */
export function restoringInto(namespace: string, jobs: Iterable<RestoreJob>): readonly ObjectKey[] {
  return [...jobs].flatMap((job) =>
    restoreCrossings(job).some((crossing) => crossing.namespace === namespace) ? [keyOf(job)] : [],
  );
}

/** To restore into a namespace is to write there: who may not do that by a RestoreJob there may not do it from here. */
export function restoreRules(lookup: { namespace(name: string): Found<KubeObject> }): ConsentRules {
  return {
    repositoryList: "",
    namespace: (name) => lookup.namespace(name),
    kinds: {
      [restoreJobResource.kind]: {
        resource: restoreJobResource,
        verb: "create",
        judge: ({ namespace }, tenant) =>
          listedBy(lookup.namespace(namespace), (found) =>
            listed({ list: namesIn(found, RESTORES_FROM) }, tenant),
          ),
        target: ({ namespace }) => ({ kind: "Namespace", name: { name: namespace } }),
        // Whoever creates it may not want what others restore there.
        undecided: ({ namespace }) =>
          waits(
            "NamespaceNotFound",
            `Namespace ${namespace} does not exist, so it cannot consent. Create it, or have someone write this who may create RestoreJobs there.`,
          ),
        forbidden: ({ namespace, field }, from) => ({
          reason: "CrossNamespaceForbidden",
          field,
          forbidden: true,
          what: `RestoreJobs of namespace ${from} cannot restore into namespace ${namespace}`,
          why: `namespace ${namespace} does not list ${from}, and whoever wrote this may not create RestoreJobs there`,
          fix: `Have someone write this who may, or have ${from} added to the annotation ${RESTORES_FROM} of namespace ${namespace}`,
        }),
      },
    },
  };
}

/** Why a RestoreJob may not restore into the namespace that it names: admission's rule, run again. */
export function restoreProblem(
  job: RestoreJob,
  lookup: { namespace(name: string): Found<KubeObject> },
  guarded: boolean,
): Problem | undefined {
  return crossingProblem(job, restoreCrossings(job), { rules: restoreRules(lookup), guarded });
}

/**
 * Why a Backup may not be restored into another namespace. A driver that knows the document alone knows no
 * `targetNamespace`: it would overwrite the application that the Backup was taken of.
 */
export function elsewhereViolation(job: RestoreJob, backup: Backup): Violation | undefined {
  const [crossing] = restoreCrossings(job);
  if (!crossing || backup.metadata.annotations?.[RESTORES_ELSEWHERE] === "true") return undefined;
  const { kind, apiGroup = STRATEGY_GROUP } = backup.spec.strategyRef;
  return {
    reason: "TargetNamespaceUnsupported",
    field: crossing.field,
    what: `Backup ${backup.metadata.name} cannot be restored into namespace ${crossing.namespace}`,
    why: `its driver, that of ${kind} of ${apiGroup}, may not know targetNamespace, and would restore into namespace ${job.metadata.namespace}`,
    fix: `Create the RestoreJob without targetNamespace. If the driver knows it, set the annotation ${RESTORES_ELSEWHERE}: "true" on the Backup`,
  };
}

import type { BackupConfig } from "../../../kinds/kopiur/generated/backup_config.ts";
import { keyOf } from "../../../kube/object.ts";
import { err, ok, type Result } from "../../../lib/result.ts";
import { configCrossings } from "../admission/crossings.ts";
import { judge } from "../admission/judge.ts";
import type { Consent } from "../backup/delegate/consent.ts";
import { BY_CONFIG } from "../caches.ts";
import { crossingProblem } from "../crossing_problem.ts";
import type { KopiurPorts } from "../ports.ts";
import type { Problem } from "../problem.ts";
import { useRepository } from "../repository_use.ts";
import { reachOf } from "../rules/reach.ts";
import { reachLimits } from "../rules/reach_limits.ts";
import { problemOf } from "../rules/violation.ts";
import { derivedDraft, derivedName } from "./derived_recipe.ts";
import type { ReachedNamespace } from "./reached_part.ts";

export type Looking = Pick<KopiurPorts, "caches" | "lookup" | "settings" | "namespace">;

/** The namespaces that a recipe is about; or why it is not to be run in any. */
export function observeReach(
  ports: Looking,
  config: BackupConfig,
): Result<readonly ReachedNamespace[], Problem> {
  const { caches, lookup } = ports;
  const { namespace: from = "" } = config.metadata;
  const [limit] = reachLimits(config, ports.namespace);
  if (limit) return err(problemOf(limit));
  const { permitted } = useRepository(ports, config.spec.repository, {
    namespace: from,
    witnesses: [config],
  });
  if (!permitted.ok) return permitted;
  const { spec } = permitted.value;
  // Each namespace says for itself whether it may be reached.
  const others = crossingProblem(ports, config, (...asked) =>
    configCrossings(...asked).filter(({ kind }) => kind !== "PersistentVolumeClaim"),
  );
  if (others) return err(others);
  const defaults = "identityDefaults" in spec ? spec.identityDefaults : undefined;
  const timezone = zoneOf(ports, config);
  const parts: ReachedNamespace[] = [];
  for (const namespace of reachOf(config).keys()) {
    const draft = derivedDraft({ config, namespace, defaults, timezone });
    if (!draft.ok) return err(problemOf(draft.error));
    parts.push({
      config,
      namespace,
      place: lookup.namespace(namespace),
      consent: consentToReach(ports, { from, namespace }),
      derived: caches.configs.get(keyOf(derivedName(config, namespace))),
      draft: draft.value,
    });
  }
  return ok(parts);
}

export interface ReachQuestion {
  /** The recipe's namespace. */
  readonly from: string;
  readonly namespace: string;
}

/** Who lets a recipe be run on the claims of a namespace, now: of another, that namespace alone. */
export function consentToReach({ lookup }: Pick<Looking, "lookup">, question: ReachQuestion): Consent {
  const { from, namespace } = question;
  if (namespace === from) return "author";
  const crossing = { kind: "PersistentVolumeClaim", namespace, field: "spec.sources" } as const;
  const judgement = judge(crossing, from, lookup);
  if (judgement === "unknown") return "unknown";
  return judgement === "granted" ? "namespace" : "nobody";
}

/** The zone of the recipe's schedules, where they agree on one. */
function zoneOf({ caches }: Looking, config: BackupConfig): string | undefined {
  const zones = caches.schedules.indexed(BY_CONFIG, keyOf(config)).map(({ spec }) => spec.schedule.timezone);
  const [zone, ...others] = new Set(zones);
  return others.length === 0 ? zone : undefined;
}

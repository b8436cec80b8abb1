import type { Problem } from "../../../core/reconcile/problem.ts";
import { problemOf } from "../../../core/reconcile/violation.ts";
import type { BackupConfig } from "../../../kinds/kopiur/generated/backup_config.ts";
import { keyOf } from "../../../kube/object.ts";
import { err, ok, type Result } from "../../../lib/result.ts";
import { judge } from "../admission/consent_rules.ts";
import { configCrossings } from "../admission/crossings.ts";
import { BY_CONFIG } from "../caches.ts";
import type { Consent } from "../children/child.ts";
import { crossingProblem } from "../crossing_problem.ts";
import type { KopiurPorts } from "../ports.ts";
import { useRepository } from "../repository_use.ts";
import { identityDefaultsOf } from "../rules/config_identity.ts";
import { derivedDraft, derivedName } from "./derived_config.ts";
import type { ObservedNamespace } from "./namespace_state.ts";
import { namespaceLimits, sourcesByNamespace } from "./namespaces_of.ts";

export type Looking = Pick<KopiurPorts, "caches" | "lookup" | "settings" | "namespace">;

/** The namespaces that a BackupConfig is about; or why it is not to be run in any. */
export function observeNamespaces(
  ports: Looking,
  config: BackupConfig,
): Result<readonly ObservedNamespace[], Problem> {
  const { caches, lookup } = ports;
  const { namespace: from = "" } = config.metadata;
  const [limit] = namespaceLimits(config, ports.namespace);
  if (limit) return err(problemOf(limit));
  const { permitted } = useRepository(ports, config.spec.repository, {
    namespace: from,
    witnesses: [config],
  });
  if (!permitted.ok) return permitted;
  // Each namespace says for itself whether it may be reached.
  const others = crossingProblem(ports, config, (...asked) =>
    configCrossings(...asked).filter(({ kind }) => kind !== "PersistentVolumeClaim"),
  );
  if (others) return err(others);
  const defaults = identityDefaultsOf(permitted.value);
  const timezone = zoneOf(ports, config);
  const parts: ObservedNamespace[] = [];
  for (const namespace of sourcesByNamespace(config).keys()) {
    const draft = derivedDraft({ config, namespace, defaults, timezone });
    if (!draft.ok) return err(problemOf(draft.error));
    parts.push({
      config,
      namespace,
      place: lookup.namespace(namespace),
      consent: consentToRun(ports, { from, namespace }),
      derived: caches.configs.get(keyOf(derivedName(config, namespace))),
      draft: draft.value,
    });
  }
  return ok(parts);
}

export interface RunQuestion {
  /** The BackupConfig's namespace. */
  readonly from: string;
  readonly namespace: string;
}

/** Who lets a BackupConfig be run on the claims of a namespace, now: of another, that namespace alone. */
export function consentToRun({ lookup }: Pick<Looking, "lookup">, question: RunQuestion): Consent {
  const { from, namespace } = question;
  if (namespace === from) return "author";
  const crossing = { kind: "PersistentVolumeClaim", namespace, field: "spec.sources" } as const;
  const judgement = judge(crossing, from, lookup);
  if (judgement === "unknown") return "unknown";
  return judgement === "granted" ? "namespace" : "nobody";
}

/** The zone of the BackupConfig's schedules, where they agree on one. */
function zoneOf({ caches }: Looking, config: BackupConfig): string | undefined {
  const zones = caches.schedules.indexed(BY_CONFIG, keyOf(config)).map(({ spec }) => spec.schedule.timezone);
  const [zone, ...others] = new Set(zones);
  return others.length === 0 ? zone : undefined;
}

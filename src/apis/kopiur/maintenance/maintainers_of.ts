import { operatorNamespaceOf } from "../../../core/work/settings.ts";
import type { Maintenance } from "../../../kinds/kopiur/generated/maintenance.ts";
import type { ObjectKey } from "../../../kube/object.ts";
import { BY_REPOSITORY } from "../caches.ts";
import type { KopiurPorts } from "../ports.ts";
import { useRepository } from "../repository_use.ts";
import { foreignMaintenance } from "../rules/other_maintenance.ts";
import { forbidden } from "./maintenance_problem.ts";

/** The Maintenances that name a repository. */
export interface Maintainers {
  readonly entitled: readonly Maintenance[];
  /** Those that may not maintain it: they may have come in before it, or while nobody checked them. */
  readonly strangers: readonly Maintenance[];
}

export function maintainersOf(
  ports: Pick<KopiurPorts, "caches" | "settings">,
  repository: ObjectKey,
): Maintainers {
  const all = ports.caches.maintenances.indexed(BY_REPOSITORY, repository);
  const entitled = all.filter((one) => isEntitled(ports, one));
  return { entitled, strangers: all.filter((one) => !entitled.includes(one)) };
}

function isEntitled(ports: Pick<KopiurPorts, "caches" | "settings">, maintenance: Maintenance): boolean {
  const { namespace = "" } = maintenance.metadata;
  const home = operatorNamespaceOf(ports.settings);
  const use = useRepository(ports, maintenance.spec.repository, { namespace, witnesses: [maintenance] });
  return !foreignMaintenance(maintenance, home) && !forbidden(use, namespace === home);
}

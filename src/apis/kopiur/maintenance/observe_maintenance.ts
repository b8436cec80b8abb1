import type { BackupOf } from "../../../core/maintenance/check_status.ts";
import {
  type MaintenanceView,
  observeMaintenance as observe,
} from "../../../core/maintenance/observe_maintenance.ts";
import { maintainedElsewhere, sharersOf } from "../../../core/maintenance/shared_repository.ts";
import { operatorNamespaceOf } from "../../../core/work/settings.ts";
import { type Maintenance, maintenanceResource } from "../../../kinds/kopiur/generated/maintenance.ts";
import { keyOf } from "../../../kube/object.ts";
import { BY_SNAPSHOT, type KopiurCaches } from "../caches.ts";
import type { KopiurPorts } from "../ports.ts";
import type { AnyRepository } from "../references.ts";
import { allRepositories, useRepository } from "../repository_use.ts";
import { runContextOf } from "../run_context.ts";
import { maintainersOf } from "./maintainers_of.ts";
import { brokenRule, unusable } from "./maintenance_problem.ts";
import { withOwner } from "./with_owner.ts";

const RESUME = "Set spec.schedule.suspend to false when they are wanted again.";

/** Looks at a Maintenance, its repository and its runs. */
export function observeMaintenance(
  ports: KopiurPorts,
  maintenance: Maintenance,
  signal: AbortSignal,
): Promise<MaintenanceView> {
  const { namespace = "" } = maintenance.metadata;
  const use = useRepository(ports, maintenance.spec.repository, { namespace, witnesses: [maintenance] });
  const { repository } = use;
  const operatorNamespace = operatorNamespaceOf(ports.settings);
  const { entitled } = maintainersOf(ports, use.key);
  const sharers = repository ? sharersOf(allRepositories(ports.caches), repository) : [];
  const others = sharers.flatMap((sharer) =>
    maintainersOf(ports, keyOf(sharer)).entitled.map((object) => ({ object, repository: sharer })),
  );
  const question = {
    owner: { resource: maintenanceResource, object: withOwner(maintenance) },
    broken: brokenRule(maintenance, { entitled, operatorNamespace }),
    unusable: unusable(use, namespace === operatorNamespace),
    elsewhere: repository && maintainedElsewhere({ object: maintenance, repository }, others),
    on: repository && {
      repository,
      sharers,
      context: () => runContextOf(ports, repository, namespace, signal),
      backupOf: backupsIn(ports.caches, repository),
    },
    resume: RESUME,
  };
  return observe(ports, question, signal);
}

/** Tells which Backup stands for a snapshot of a repository: by the snapshot's ID, which may change, or its run. */
export function backupsIn({ backups }: Pick<KopiurCaches, "backups">, { status }: AnyRepository): BackupOf {
  return ({ id, run }) => {
    const backup = [id, ...(run === undefined ? [] : [run])]
      .flatMap((key) => backups.indexed(BY_SNAPSHOT, key))
      .find((one) => one.status?.resolved?.repository?.uniqueID === status?.uniqueID);
    return backup && keyOf(backup);
  };
}

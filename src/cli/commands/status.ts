import { backupResource } from "../../kinds/kopiur/generated/backup.ts";
import { backupConfigResource } from "../../kinds/kopiur/generated/backup_config.ts";
import { backupScheduleResource } from "../../kinds/kopiur/generated/backup_schedule.ts";
import { clusterRepositoryResource } from "../../kinds/kopiur/generated/cluster_repository.ts";
import { maintenanceResource } from "../../kinds/kopiur/generated/maintenance.ts";
import { repositoryResource } from "../../kinds/kopiur/generated/repository.ts";
import { restoreResource } from "../../kinds/kopiur/generated/restore.ts";
import { isForbidden, isNotServed } from "../../kube/api_error.ts";
import { PersistentVolumeClaims } from "../../kube/builtin.ts";
import type { KubeObject } from "../../kube/object.ts";
import type { Call } from "../frame/command.ts";
import { EXIT, type ExitCode } from "../frame/exit_codes.ts";
import { printedValue } from "../frame/printed.ts";
import { listed, scopeOf } from "../frame/scope.ts";
import { type Overview, overviewOf, type Seen } from "../status/overview.ts";
import { overviewLines } from "../status/overview_lines.ts";
import { scheduledAs } from "../status/protection.ts";

/** One screen: which volumes are protected, and what is wrong. */
export async function status(call: Call): Promise<ExitCode> {
  const { clock, out, paint, given } = call;
  const now = clock.now();
  const overview = overviewOf(await look(call), now);
  if (await printedValue(call, summarized(overview))) return EXIT.done;
  const scope = scopeOf(call, await call.cluster());
  const place = scope === undefined ? "all namespaces" : `namespace ${scope}`;
  const options = { now, paint, place, all: scope === undefined, wide: given.output === "wide" };
  for (const line of overviewLines(overview, options)) out(line);
  return EXIT.done;
}

async function look(call: Call): Promise<Seen> {
  const [claims, own, shared, configs, schedules, backups, restores, maintenances] = await Promise.all([
    listed(call, PersistentVolumeClaims),
    listed(call, repositoryResource),
    // Whoever may see one namespace alone sees no ClusterRepositories, and the screen is still worth having.
    listed(call, clusterRepositoryResource).catch((error: unknown) => {
      if (isForbidden(error) || isNotServed(error)) return [];
      throw error;
    }),
    listed(call, backupConfigResource),
    listed(call, backupScheduleResource),
    listed(call, backupResource),
    listed(call, restoreResource),
    listed(call, maintenanceResource),
  ]);
  const repeated = await lookElsewhere(call, configs);
  return {
    claims,
    repositories: [...own, ...shared],
    configs,
    schedules: [...schedules, ...repeated.schedules],
    hidden: repeated.hidden,
    backups,
    restores,
    maintenances,
  };
}

/** Recipes that are repeated here run by the schedules of the namespace that they are of. */
async function lookElsewhere(
  call: Call,
  configs: Seen["configs"],
): Promise<Required<Pick<Seen, "schedules" | "hidden">>> {
  const { client, namespace: usual } = await call.cluster();
  const scope = scopeOf(call, { namespace: usual });
  if (scope === undefined) return { schedules: [], hidden: new Set() };
  const origins = new Set(configs.map((config) => scheduledAs(config).split("/")[0] ?? scope));
  const hidden = new Set<string>();
  const lists = [...origins.difference(new Set([scope]))].map(async (namespace) => {
    const options = { namespace, signal: call.signal, omitManagedFields: true };
    const list = await client.list(backupScheduleResource, options).catch((error: unknown) => {
      if (!isForbidden(error)) throw error;
      hidden.add(namespace);
      return undefined;
    });
    return list?.items ?? [];
  });
  return { schedules: (await Promise.all(lists)).flat(), hidden };
}

/** The same for programs: what was concluded, and not the objects that it was concluded from. */
function summarized({ volumes, repositories, running, problems }: Overview): unknown {
  const name = ({ metadata }: KubeObject) => ({
    ...(metadata.namespace ? { namespace: metadata.namespace } : {}),
    name: metadata.name,
  });
  return {
    volumes: volumes.map(({ volume, ...rest }) => ({
      namespace: volume.metadata.namespace,
      name: volume.metadata.name,
      ...rest,
    })),
    repositories: repositories.map((one) => ({ ...name(one), kind: one.kind, phase: one.status?.phase })),
    running: running.map((one) => ({ ...name(one), kind: one.kind, phase: one.status?.phase })),
    problems: problems.map(({ object, why }) => ({ ...name(object), kind: object.kind, why })),
  };
}

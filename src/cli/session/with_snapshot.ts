import type { SessionClient } from "../../core/work/session/session_client.ts";
import { type Backup, backupResource } from "../../kinds/kopiur/generated/backup.ts";
import { clusterRepositoryResource } from "../../kinds/kopiur/generated/cluster_repository.ts";
import { maintenanceResource } from "../../kinds/kopiur/generated/maintenance.ts";
import { repositoryResource } from "../../kinds/kopiur/generated/repository.ts";
import type { AnyRepository, Call, Cluster } from "../frame/command.ts";
import { EXIT } from "../frame/exit_codes.ts";
import { referenceOf } from "../frame/kinds.ts";
import { CommandProblem } from "../frame/problem.ts";
import { namespaceOf } from "../frame/scope.ts";
import { likelyBackup } from "../restore/likely_backup.ts";
import { openSession } from "./open_session.ts";

/** Asks questions of the repository that holds the first Backup's snapshots. */
export async function withRepository<T>(
  call: Call,
  [first, ...others]: readonly [Backup, ...Backup[]],
  ask: (client: SessionClient) => Promise<T>,
): Promise<T> {
  const place = first.status?.resolved?.repository;
  if (!place) throw new CommandProblem(`Backup ${first.metadata.name} does not know its repository yet`);
  const apart = others.find(({ status }) => status?.resolved?.repository?.uid !== place.uid);
  if (apart) {
    throw new CommandProblem("the two are in different repositories", {
      why: `${first.metadata.name} is in ${place.name}, and ${apart.metadata.name} in ${apart.status?.resolved?.repository?.name ?? "none"}.`,
    });
  }
  const cluster = await call.cluster();
  const repository: AnyRepository =
    place.kind === clusterRepositoryResource.kind
      ? await cluster.client.get(clusterRepositoryResource, { name: place.name }, call)
      : await cluster.client.get(
          repositoryResource,
          { namespace: place.namespace ?? first.metadata.namespace ?? "", name: place.name },
          call,
        );
  const image = await moverImage(call, cluster, first, repository);
  await using session = await openSession(call, await call.sessionRequest(repository, image));
  return await ask(session.client);
}

/** The Backup that words name: `backup/<name>`, or the newest of `config/<name>`. */
export async function backupNamed(call: Call, text: string): Promise<Backup> {
  const { signal } = call;
  const cluster = await call.cluster();
  const namespace = namespaceOf(call, cluster);
  const { resource, name } = referenceOf(text, { kinds: ["backup", "config"], usual: "backup" });
  if (resource.kind === backupResource.kind)
    return cluster.client.get(backupResource, { namespace, name }, { signal });
  const found = likelyBackup(await backupsIn(cluster, namespace, signal), {
    config: name,
    namespace,
    offset: 0,
  });
  if (found) return found;
  throw new CommandProblem(`config ${name} has no Backup that succeeded`, {
    fix: `holdfast backup now ${name} makes one.`,
    code: EXIT.notFound,
  });
}

async function backupsIn(
  { client }: Cluster,
  namespace: string,
  signal: AbortSignal,
): Promise<readonly Backup[]> {
  return (await client.list(backupResource, { namespace, signal, omitManagedFields: true })).items;
}

/** The image of the mover: as it was said, as the repository has it, or as the last runs had it. */
async function moverImage(
  call: Call,
  cluster: Cluster,
  backup: Backup,
  repository: AnyRepository,
): Promise<string> {
  const { signal, given } = call;
  const known = given.text("mover-image") ?? repository.spec.kopiaImageOverride ?? backup.status?.job?.image;
  if (known) return known;
  const namespace = backup.metadata.namespace ?? "";
  const runs = [
    ...(await backupsIn(cluster, namespace, signal)),
    ...(await cluster.client.list(maintenanceResource, { namespace, signal })).items,
  ];
  const image = runs.find(({ status }) => status?.job?.image)?.status?.job?.image;
  if (image) return image;
  throw new CommandProblem("it is not known which image the mover has", {
    why: "No run in this namespace tells.",
    fix: "Name it with --mover-image.",
  });
}

import type { SessionClient } from "../../core/work/session/session_client.ts";
import { type Backup, backupResource } from "../../kinds/kopiur/generated/backup.ts";
import { clusterRepositoryResource } from "../../kinds/kopiur/generated/cluster_repository.ts";
import { repositoryResource } from "../../kinds/kopiur/generated/repository.ts";
import type { AnyRepository, Call, Cluster } from "../frame/command.ts";
import { EXIT } from "../frame/exit_codes.ts";
import { referenceOf } from "../frame/kinds.ts";
import { CommandProblem } from "../frame/problem.ts";
import { namespaceOf } from "../frame/scope.ts";
import { likelyBackup } from "../restore/likely_backup.ts";
import { moverImage } from "./mover_image.ts";
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
  const image = await moverImage(call, cluster.client, repository);
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

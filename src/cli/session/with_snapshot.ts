import type { SessionClient } from "../../core/work/session/session_client.ts";
import { type Backup, backupResource } from "../../kinds/kopiur/generated/backup.ts";
import { clusterRepositoryResource } from "../../kinds/kopiur/generated/cluster_repository.ts";
import { repositoryResource } from "../../kinds/kopiur/generated/repository.ts";
import type { AnyRepository, Call } from "../frame/command.ts";
import { EXIT } from "../frame/exit_codes.ts";
import { referenceOf } from "../frame/kinds.ts";
import { CommandProblem } from "../frame/problem.ts";
import { namespaceOf } from "../frame/scope.ts";
import { likelyBackup, type PassedOver } from "../restore/likely_backup.ts";
import { type Recipe, recipeNamed, sourcesOf, wasFoundFor } from "../restore/recipe_backups.ts";
import { type BackupSnapshot, chosenSnapshot } from "./chosen_snapshot.ts";
import { moverImage } from "./mover_image.ts";
import { type OpenedSession, openSession } from "./open_session.ts";

/** Asks questions of the repository that holds the first Backup's snapshots. */
export async function withRepository<T>(
  call: Call,
  backups: readonly [Backup, ...Backup[]],
  ask: (client: SessionClient) => Promise<T>,
): Promise<T> {
  const repository = await repositoryOf(call, backups);
  if (call.sessions) return await call.sessions.ask(call, repository, ask);
  await using session = await sessionWith(call, repository);
  return await ask(session.client);
}

/** Starts a session with a repository, as the person who runs this. */
export async function sessionWith(call: Call, repository: AnyRepository): Promise<OpenedSession> {
  const { client } = await call.cluster();
  const image = await moverImage(call, client, repository);
  return await openSession(call, await call.sessionRequest(repository, image));
}

/** The repository that holds the first Backup's snapshots. Throws a CommandProblem where another's are elsewhere. */
export async function repositoryOf(
  call: Call,
  [first, ...others]: readonly [Backup, ...Backup[]],
): Promise<AnyRepository> {
  const place = first.status?.resolved?.repository;
  if (!place) throw new CommandProblem(`Backup ${first.metadata.name} does not know its repository yet`);
  const apart = others.find((other) => !inSameRepository(first, other));
  if (apart) {
    throw new CommandProblem("the two are in different repositories", {
      why: `${first.metadata.name} is in ${place.name}, and ${apart.metadata.name} in ${apart.status?.resolved?.repository?.name ?? "none"}.`,
    });
  }
  const { client } = await call.cluster();
  return place.kind === clusterRepositoryResource.kind
    ? await client.get(clusterRepositoryResource, { name: place.name }, call)
    : await client.get(
        repositoryResource,
        { namespace: place.namespace ?? first.metadata.namespace ?? "", name: place.name },
        call,
      );
}

/** A snapshot, and the Backup that it is in. */
export interface NamedSnapshot {
  readonly backup: Backup;
  readonly snapshot: BackupSnapshot;
  /** Newer ones that a recipe's newest is not, unless somebody names them. */
  readonly passedOver?: readonly PassedOver[];
}

/** The snapshot that words name: of `backup/<name>`, or of the newest of `config/<name>`; `--pvc` says of which volume. */
export async function snapshotNamed(call: Call, text: string): Promise<NamedSnapshot> {
  const { given, signal, clock, progress } = call;
  const claim = given.text("pvc");
  const cluster = await call.cluster();
  const namespace = namespaceOf(call, cluster);
  const { resource, name } = referenceOf(text, { kinds: ["backup", "config"], usual: "backup" });
  if (resource.kind === backupResource.kind) {
    const backup = await cluster.client.get(backupResource, { namespace, name }, { signal });
    return { backup, snapshot: chosenSnapshot(backup, claim) };
  }
  const { recipe, backups } = await recipeNamed(cluster, { namespace, name }, signal);
  const newest = newestOf(backups, recipe, { claim, now: clock.now() });
  for (const { backup, why } of newest.passedOver ?? [])
    progress.line(`backup/${backup.metadata.name} is newer, and left out: ${why}`);
  return newest;
}

/** The newest snapshot of a recipe. Throws a CommandProblem where there is none, or several volumes could be meant. */
export function newestOf(
  backups: readonly Backup[],
  recipe: Recipe,
  { claim, now }: { readonly claim?: string | undefined; readonly now: number },
): NamedSnapshot {
  const { name, resolved } = recipe;
  const { backup, passedOver } = likelyBackup(backups, recipe, { offset: 0, claim, now });
  if (!backup) throw noBackup(name, claim, passedOver);
  if (!wasFoundFor(backup, resolved, claim))
    return { backup, snapshot: chosenSnapshot(backup, claim), passedOver };
  // It is of one volume only, so it does not show that the recipe has others.
  const sources = sourcesOf(resolved, claim);
  if (sources.length === 1) return { backup, snapshot: chosenSnapshot(backup, undefined), passedOver };
  throw new CommandProblem(`config ${name} is of several volumes`, {
    why: `It is of ${sources.map(({ pvc }) => pvc).join(", ")}.`,
    fix: "Name one with --pvc.",
    code: EXIT.usage,
  });
}

/** What is said when nothing holds data of a recipe. */
export function noBackup(
  config: string,
  claim?: string,
  [passed]: readonly PassedOver[] = [],
): CommandProblem {
  const what = claim === undefined ? `config ${config}` : `volume ${claim} of config ${config}`;
  if (passed) {
    const named = `backup/${passed.backup.metadata.name}`;
    return new CommandProblem(`no Backup of ${what} is taken unless it is named`, {
      why: `${named} is the newest, and left out: ${passed.why}.`,
      fix: `Name it to look into it all the same: ${named}.`,
      code: EXIT.notFound,
    });
  }
  return new CommandProblem(`no Backup holds data of ${what}`, {
    why: "None ran by it and succeeded, and none was found in its repository under its identity.",
    fix: `holdfast list shows what there is, holdfast explain config/${config} whether the repository has been looked through; if it has never been backed up, holdfast backup now ${config} does it.`,
    code: EXIT.notFound,
  });
}

/** Whichever object stood for it when they were made. What is not known is not the same. */
export function inSameRepository(a: Backup, b: Backup): boolean {
  const uniqueID = a.status?.resolved?.repository?.uniqueID;
  return uniqueID !== undefined && uniqueID === b.status?.resolved?.repository?.uniqueID;
}

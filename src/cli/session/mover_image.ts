import { type Backup, backupResource } from "../../kinds/kopiur/generated/backup.ts";
import { maintenanceResource } from "../../kinds/kopiur/generated/maintenance.ts";
import { isForbidden, isNotFound } from "../../kube/api_error.ts";
import type { Reader } from "../../kube/client.ts";
import type { AnyRepository, Call } from "../frame/command.ts";
import { CommandProblem } from "../frame/problem.ts";

/**
 * The image of a mover that is given the repository's credentials: as it was said, as the repository has it, or as
 * runs of this very repository had it where it belongs to. What is in other namespaces is for others to choose.
 */
export async function moverImage(
  { given, signal }: Pick<Call, "given" | "signal">,
  client: Pick<Reader, "get" | "list">,
  repository: AnyRepository,
): Promise<string> {
  const said = given.text("mover-image") ?? repository.spec.kopiaImageOverride;
  if (said) return said;
  const image =
    (await imageOfMaintenance(client, repository, signal)) ??
    (await imageOfBackups(client, repository, signal));
  if (image) return image;
  throw new CommandProblem("it is not known which image the mover has", {
    why: `No run of ${repository.kind} ${repository.metadata.name} tells, where it belongs to.`,
    fix: "Name it with --mover-image.",
  });
}

/** The operator counts only a Maintenance that is entitled to the repository. */
async function imageOfMaintenance(
  client: Pick<Reader, "get">,
  { status }: AnyRepository,
  signal: AbortSignal,
): Promise<string | undefined> {
  const name = status?.maintenanceRef;
  if (!name) return undefined;
  const maintenance = await client.get(maintenanceResource, name, { signal }).catch((error: unknown) => {
    if (isNotFound(error) || isForbidden(error)) return undefined;
    throw error;
  });
  return maintenance?.status?.job?.image;
}

/** Backups beside a Repository, whichever object stood for it when they ran. Those in a ClusterRepository are all in somebody else's namespace. */
async function imageOfBackups(
  client: Pick<Reader, "list">,
  { metadata: { namespace }, status: { uniqueID } = {} }: AnyRepository,
  signal: AbortSignal,
): Promise<string | undefined> {
  if (namespace === undefined || uniqueID === undefined) return undefined;
  const { items } = await client.list(backupResource, { namespace, signal, omitManagedFields: true });
  const ofIt = ({ status }: Backup) => status?.resolved?.repository?.uniqueID === uniqueID;
  return items.find((backup) => ofIt(backup) && backup.status?.job?.image)?.status?.job?.image;
}

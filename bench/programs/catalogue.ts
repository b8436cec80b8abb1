import { setFlagsFromString } from "node:v8";
import { type RepositoryStatus, repositoryResource } from "../../src/kinds/kopiur/generated/repository.ts";
import { embeddedWorld } from "../../test/scenarios/embedded_world.ts";
import { Stage } from "../../test/scenarios/stage.ts";
import { BareKopia } from "../bare_kopia.ts";

/*
 * API server, node and operator, and a repository that others have filled: the operator looks at it for the first time,
 * and again. Prints what came of it, and stays until it is told to end.
 */
export interface CatalogueTask {
  readonly identities: number;
  readonly ofEach: number;
}

export interface CatalogueResult {
  /** From the order to the last Backup, in milliseconds. */
  readonly first: number;
  readonly second: number;
  readonly backups: number;
  /** How much more memory there was during the first look than before it, and all of it, in MB. */
  readonly grown: number;
  readonly most: number;
  /** Where the repository is. */
  readonly folder: string;
  readonly password: string;
}

const REFRESH = "kopiur.home-operations.com/refresh-catalog";

/** The most memory that this process has had since, in MB. */
class MemoryWatch {
  readonly #before = process.memoryUsage.rss();
  #most = 0;
  readonly #timer = setInterval(() => {
    this.#most = Math.max(this.#most, process.memoryUsage.rss());
  }, 50);

  end(): { readonly grown: number; readonly most: number } {
    clearInterval(this.#timer);
    return { grown: (this.#most - this.#before) / 2 ** 20, most: this.#most / 2 ** 20 };
  }
}

async function measure(stage: Stage, { identities, ofEach }: CatalogueTask): Promise<CatalogueResult> {
  const { namespace, password, world } = stage;
  const { client } = world;
  const name = { namespace, name: "repository" };
  await stage.claim("repository");
  const folder = await world.folderOf(name);
  {
    using kopia = new BareKopia(folder, password);
    await kopia.fill(identities, ofEach);
  }
  const look = async (what: string, isDone: (status: RepositoryStatus) => boolean) => {
    const begun = performance.now();
    const status = await stage.eventually(what, async () => {
      const { status = {} } = await client.get(repositoryResource, name);
      return { done: isDone(status), value: status };
    });
    return { status, took: performance.now() - begun };
  };

  const memory = new MemoryWatch();
  await stage.repositoryOnClaim();
  const first = await look("the first look", ({ catalog }) => catalog?.lastRefreshAt !== undefined);
  const { grown, most } = memory.end();
  const { storageStats, catalog } = first.status;
  if (storageStats?.snapshotCount !== identities * ofEach)
    throw new Error(`the operator saw ${JSON.stringify(storageStats)}`);

  const patch = { metadata: { annotations: { [REFRESH]: "again" } } };
  await client.patch(repositoryResource, name, { type: "merge", patch });
  const second = await look("another look", (status) => status.catalog?.handledRefreshRequest === "again");
  const backups = catalog?.discoveredBackupCount ?? 0;
  return { first: first.took, second: second.took, backups, grown, most, folder, password };
}

const told = new Promise((resolve) => process.once("SIGTERM", resolve));
// As every program that the operator is in does.
setFlagsFromString("--optimize-for-size");
{
  await using world = await embeddedWorld({ budgeted: true });
  await using stage = await Stage.enter(world, "kopia");
  const task = JSON.parse(process.argv[2] ?? "{}") as CatalogueTask;
  console.log(JSON.stringify(await measure(stage, task)));
  await told;
}
process.exit();

import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { repositoryResource } from "../src/kinds/kopiur/generated/repository.ts";
import { systemProcesses } from "../src/lib/processes.ts";
import { embeddedWorld } from "../test/scenarios/embedded_world.ts";
import { Stage } from "../test/scenarios/stage.ts";
import { pinnedProgram } from "../tools/cluster/programs.ts";
import { atMost, type Figure, informs } from "./figures.ts";

/** Five times as many snapshots, of which 10,000 are shown: as many as there ever are. The limits are for fewer. */
const LONG = process.env.HOLDFAST_LONG !== undefined;
const IDENTITIES = LONG ? 100 : 20;
const OF_EACH = 500;
/** Snapshots that one process of kopia makes. */
const AT_ONCE = 100;

/** The first look at a repository with ten thousand snapshots, or fifty thousand, from the order to the last Backup, beside kopia's own list. */
export async function catalogueFigures(say: (line: string) => void): Promise<Figure[]> {
  await using world = await embeddedWorld({ budgeted: true });
  await using stage = await Stage.enter(world, "kopia");
  const { client } = world;
  const { namespace, password } = stage;
  const name = { namespace, name: "repository" };
  await stage.claim("repository");
  const folder = await world.folderOf(name);
  using kopia = new BareKopia(folder, password);
  say(`${IDENTITIES * OF_EACH} snapshots of ${IDENTITIES} identities`);
  await kopia.fill();
  const listing = await kopia.list();

  say("the first look of the operator");
  const memory = new MemoryWatch();
  await stage.repositoryOnClaim();
  const begun = performance.now();
  const looked = await stage.eventually("the first look", async () => {
    const { status } = await client.get(repositoryResource, name);
    return { done: status?.catalog?.lastRefreshAt !== undefined, value: status };
  });
  const first = performance.now() - begun;
  const grown = memory.end();
  if (looked?.storageStats?.snapshotCount !== IDENTITIES * OF_EACH)
    throw new Error(`the operator saw ${JSON.stringify(looked?.storageStats)}`);

  say("another one");
  const again = performance.now();
  const patch = { metadata: { annotations: { "kopiur.home-operations.com/refresh-catalog": "again" } } };
  await client.patch(repositoryResource, name, { type: "merge", patch });
  await stage.eventually("another look", async () => {
    const { status } = await client.get(repositoryResource, name);
    return { done: status?.catalog?.handledRefreshRequest === "again", value: status };
  });
  const second = performance.now() - again;
  return [
    informs("kopia by hand: connect and list", listing / 1000, "s"),
    informs("Backups that were made", looked.catalog?.discoveredBackupCount ?? 0, ""),
    informs("first look, until the last Backup is there", first / 1000, "s"),
    usually("the same, beyond kopia's list", (first - listing) / 1000, "s", 10),
    informs("a look without news", second / 1000, "s"),
    usually("memory of API server and operator together, grown by", grown, "MB", 150),
  ];
}

function usually(figure: string, value: number, unit: string, limit: number): Figure {
  return LONG ? informs(figure, value, unit) : atMost(figure, value, unit, limit);
}

/** The most memory that this process has had, beyond what it had at the start. */
class MemoryWatch {
  readonly #before = process.memoryUsage.rss();
  #most = 0;
  readonly #timer = setInterval(() => {
    this.#most = Math.max(this.#most, process.memoryUsage.rss());
  }, 50);

  /** In MB. */
  end(): number {
    clearInterval(this.#timer);
    return (this.#most - this.#before) / 2 ** 20;
  }
}

const WHO = ["--override-username=bench", "--override-hostname=host-0"];

class BareKopia implements Disposable {
  readonly #home = mkdtempSync(join(tmpdir(), "holdfast-bench-"));
  readonly #folder: string;
  readonly #password: string;

  constructor(folder: string, password: string) {
    this.#folder = folder;
    this.#password = password;
  }

  async fill(): Promise<void> {
    const source = join(this.#home, "source");
    mkdirSync(source);
    writeFileSync(join(source, "file"), "of the benchmark");
    await this.#run("repository", "create", "filesystem", `--path=${this.#folder}`, ...WHO);
    await this.#run("policy", "set", "--global", "--keep-latest=1000000");
    const many: readonly string[] = Array(AT_ONCE).fill(source);
    for (let made = 0; made < OF_EACH; made += AT_ONCE) await this.#run("snapshot", "create", ...many);
    for (let n = 1; n < IDENTITIES; n++) await this.#run("snapshot", "copy-history", "@host-0", `@host-${n}`);
  }

  /** How long it takes to connect and list, in milliseconds. */
  async list(): Promise<number> {
    const begun = performance.now();
    await this.#run("repository", "connect", "filesystem", `--path=${this.#folder}`, ...WHO);
    await this.#run("snapshot", "list", "--all", "--show-identical", "--json");
    return performance.now() - begun;
  }

  [Symbol.dispose](): void {
    rmSync(this.#home, { recursive: true, force: true });
  }

  async #run(...args: readonly string[]): Promise<void> {
    const env = {
      PATH: process.env.PATH,
      HOME: this.#home,
      KOPIA_PASSWORD: this.#password,
      KOPIA_CHECK_FOR_UPDATES: "false",
    };
    const quiet = ["--no-auto-maintenance", "--disable-file-logging", "--no-use-keyring"];
    const options = { env, maxOutput: 2 ** 30 };
    const { code, stderr } = await systemProcesses.run(pinnedProgram("kopia"), [...args, ...quiet], options);
    if (code !== 0) throw new Error(`kopia ${args.slice(0, 2).join(" ")} ended with ${code}: ${stderr}`);
  }
}

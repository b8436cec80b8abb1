import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { systemProcesses } from "../src/lib/processes.ts";
import { pinnedProgram } from "../tools/cluster/programs.ts";

/** Snapshots that one process of kopia makes. */
const AT_ONCE = 100;
const WHO = ["--override-username=bench", "--override-hostname=host-0"];

/** Kopia without the operator, on a repository in a folder. */
export class BareKopia implements Disposable {
  readonly #home = mkdtempSync(join(tmpdir(), "holdfast-bench-"));
  readonly #folder: string;
  readonly #password: string;

  constructor(folder: string, password: string) {
    this.#folder = folder;
    this.#password = password;
  }

  /** Makes the repository, with so many snapshots of each of so many identities. */
  async fill(identities: number, ofEach: number): Promise<void> {
    const source = join(this.#home, "source");
    mkdirSync(source);
    writeFileSync(join(source, "file"), "of the benchmark");
    await this.#run("repository", "create", "filesystem", `--path=${this.#folder}`, ...WHO);
    await this.#run("policy", "set", "--global", "--keep-latest=1000000");
    const many: readonly string[] = Array(AT_ONCE).fill(source);
    for (let made = 0; made < ofEach; made += AT_ONCE) await this.#run("snapshot", "create", ...many);
    for (let n = 1; n < identities; n++) await this.#run("snapshot", "copy-history", "@host-0", `@host-${n}`);
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

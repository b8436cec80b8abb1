import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { systemProcesses } from "../../src/lib/processes.ts";
import type { EngineName } from "../../src/wire/capabilities.ts";
import { type Keys, testEngine } from "../../tools/images/test_engines.ts";

export interface HandsOn {
  readonly engine: EngineName;
  /** The folder of the repository, on this machine. */
  readonly repository: string;
  readonly password: string;
  /** Of whoever made the repository. Default cheap. */
  readonly keys?: Keys;
}

/** An engine as a person uses it, on a repository that an operator uses too. */
export class EngineByHand implements Disposable {
  readonly #on: HandsOn;
  readonly #home = mkdtempSync(join(tmpdir(), "by-hand-"));

  constructor(on: HandsOn) {
    this.#on = on;
  }

  /** Makes a snapshot of a folder, as `hand@desk`. */
  async backUp(folder: string): Promise<void> {
    if (this.#on.engine === "restic") return void (await this.#run("backup", "--host=desk", folder));
    await this.#connect();
    await this.#run("snapshot", "create", folder);
  }

  /** Writes a snapshot into a folder that is not there yet. */
  async restore(id: string, target: string): Promise<void> {
    if (this.#on.engine === "restic") return void (await this.#run("restore", id, "--target", target));
    await this.#connect();
    await this.#run("restore", id, target);
  }

  async forget(id: string): Promise<void> {
    if (this.#on.engine === "restic") return void (await this.#run("forget", id));
    await this.#connect();
    await this.#run("snapshot", "delete", "--delete", id);
  }

  [Symbol.dispose](): void {
    rmSync(this.#home, { recursive: true, force: true });
  }

  async #connect(): Promise<void> {
    const who = ["--override-username=hand", "--override-hostname=desk"];
    await this.#run("repository", "connect", "filesystem", `--path=${this.#on.repository}`, ...who);
  }

  async #run(...args: readonly string[]): Promise<void> {
    const { engine, repository, password, keys } = this.#on;
    const env = {
      PATH: process.env.PATH,
      HOME: this.#home,
      KOPIA_CHECK_FOR_UPDATES: "false",
      KOPIA_PASSWORD: password,
      RESTIC_PASSWORD: password,
      RESTIC_REPOSITORY: repository,
    };
    const { code, stderr } = await systemProcesses.run(testEngine(engine, keys), args, { env });
    if (code !== 0) throw new Error(`${engine} ${args.join(" ")} ended with ${code}: ${stderr}`);
  }
}

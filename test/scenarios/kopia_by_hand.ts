import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { systemProcesses } from "../../src/lib/processes.ts";
import { testEngine } from "../../tools/images/test_engines.ts";
import type { Stage } from "./stage.ts";
import type { ScenarioWorld } from "./world.ts";

interface Listed {
  readonly id: string;
  readonly source: { readonly userName: string; readonly host: string; readonly path: string };
  readonly pins?: readonly string[];
}

/** The bare kopia on the repository that a Velero server would have for a namespace, as its own mover uses it. */
export class KopiaByHand implements Disposable {
  readonly #world: ScenarioWorld;
  readonly #stage: Stage;
  readonly #home = mkdtempSync(join(tmpdir(), "kopia-"));
  #connected = false;

  constructor(world: ScenarioWorld, stage: Stage) {
    this.#world = world;
    this.#stage = stage;
  }

  async snapshots(): Promise<readonly Listed[]> {
    return JSON.parse(await this.#run("snapshot", "list", "--all", "--json"));
  }

  /** A snapshot of a folder under the identity of Velero's movers, with this path. Its ID. */
  async backUp(folder: string, path: string): Promise<string> {
    const source = `--override-source=default@default:${path}`;
    const made = await this.#run("snapshot", "create", folder, source, "--json", "--flush-per-source");
    return JSON.parse(made.slice(made.indexOf("{"))).id;
  }

  /** As a Velero server does it: it knows of one snapshot, by its ID. */
  async delete(id: string): Promise<void> {
    await this.#run("snapshot", "delete", "--delete", id);
  }

  [Symbol.dispose](): void {
    rmSync(this.#home, { recursive: true, force: true });
  }

  async #run(...args: readonly string[]): Promise<string> {
    if (!this.#connected) await this.#connect();
    return this.#kopia(args);
  }

  async #connect(): Promise<void> {
    const { s3 } = this.#world;
    if (!s3) throw new Error("this world has no S3 server");
    const { namespace } = this.#stage;
    const place = [
      `--bucket=${s3.bucket}`,
      `--prefix=${namespace}/kopia/${namespace}/`,
      "--region=us-east-1",
    ];
    const endpoint = [`--endpoint=${s3.endpoint.replace(/^https?:\/\//, "")}`, "--disable-tls"];
    const who = ["--override-username=default", "--override-hostname=default"];
    await this.#kopia(["repository", "connect", "s3", ...place, ...endpoint, ...who]);
    this.#connected = true;
  }

  async #kopia(args: readonly string[]): Promise<string> {
    const { s3 } = this.#world;
    const env = {
      HOME: this.#home,
      KOPIA_CHECK_FOR_UPDATES: "false",
      KOPIA_PASSWORD: this.#stage.password,
      AWS_ACCESS_KEY_ID: s3?.accessKey ?? "",
      AWS_SECRET_ACCESS_KEY: s3?.secretKey ?? "",
    };
    const { code, stdout, stderr } = await systemProcesses.run(testEngine("kopia"), args, { env });
    if (code !== 0) throw new Error(`kopia ${args.join(" ")} ended with ${code}: ${stderr}`);
    return stdout.toString();
  }
}

import { join } from "node:path";
import { run } from "../../tools/cluster/run.ts";

/** Buildah, with images of its own: the machine's stay as they are. */
export class Buildah {
  readonly #settings: readonly string[];

  /** `registries`: the file that says where images are. */
  constructor(folder: string, registries: string) {
    const storage = ["--root", join(folder, "storage"), "--runroot", join(folder, "state")];
    this.#settings = [...storage, "--registries-conf", registries];
  }

  async run(command: string, ...args: readonly string[]): Promise<string> {
    return (await run("buildah", [...this.#settings, command, ...args])).trim();
  }

  /** Where an image's files are, for as long as its container is there. */
  async mounted(image: string): Promise<string> {
    return this.run("mount", await this.run("from", "--pull-never", image));
  }

  /** Gives up what is mounted, so that the folder can be removed. */
  async end(): Promise<void> {
    await this.run("rm", "--all");
  }
}

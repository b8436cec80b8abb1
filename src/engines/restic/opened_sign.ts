import { mkdtemp, writeFile } from "node:fs/promises";
import { join } from "node:path";
import type { ResticProgram } from "./command.ts";

/** As restic makes them: nothing else may become the name of a file. */
const ID = /^[0-9a-f]{64}$/;
const NO_CACHE = "--no-cache";

/**
 * Has restic itself say that it opened the right repository, which saves a run that asks for it: half a second of a
 * processor for the key. It is given a folder for caches where a file is in the way of this repository's, and complains
 * of it by its ID as soon as it knows that, before it locks or writes anything; then it does without a cache.
 */
export class OpenedSign {
  readonly #complaint: string;
  readonly #folder: string;
  readonly #seen = Promise.withResolvers<void>();

  /** Not where restic is to have a cache, or there is no ID to wait for. */
  static isPossible({ args }: Pick<ResticProgram, "args">, expected: string | undefined): expected is string {
    return expected !== undefined && ID.test(expected) && args.includes(NO_CACHE);
  }

  /** Undefined where it is not possible. `folder` is for private files. */
  static async make(
    restic: Pick<ResticProgram, "args">,
    folder: string,
    expected: string | undefined,
  ): Promise<OpenedSign | undefined> {
    if (!OpenedSign.isPossible(restic, expected)) return undefined;
    const own = await mkdtemp(join(folder, "sign-"));
    await writeFile(join(own, expected), "");
    return new OpenedSign(own, expected);
  }

  constructor(folder: string, expected: string) {
    this.#folder = folder;
    this.#complaint = `${join(folder, expected)}/`;
  }

  /** Restic with the folder, for one run. */
  in(restic: ResticProgram): ResticProgram {
    return {
      ...restic,
      args: [...restic.args.filter((arg) => arg !== NO_CACHE), "--cache-dir", this.#folder],
    };
  }

  /** Whether a line of restic's is the sign, and nothing else. */
  heard(line: string): boolean {
    const is = line.startsWith("unable to open cache:") && line.includes(this.#complaint);
    if (is) this.#seen.resolve();
    return is;
  }

  /** Resolves once it was seen; perhaps never. */
  get seen(): Promise<void> {
    return this.#seen.promise;
  }
}

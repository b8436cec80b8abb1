import { basename } from "node:path";
import { pathRecord, type Span } from "../fidelity/fidelity_program.ts";
import type { KopiaRepository } from "./kopia_repository.ts";
import { type Listed, listPaths, pathEntries } from "./listed_paths.ts";

/** How kopia writes files: beside their place and then renamed, or in their place. */
export type WayToWrite = "Atomic" | "Direct";

/** kopia appends up to ten digits to a file's name, for one that it writes beside its place. */
const LONGEST_ATOMIC = 245;

/** Of a name. What is longer kopia does not write at all. */
const LONGEST = 255;

export interface WayMade {
  readonly way: WayToWrite;
  /** What is done otherwise than asked, in sentences for people. */
  readonly warnings: readonly string[];
}

/** What is restored over what is there. */
export interface Restored extends Listed {
  readonly isFolder: boolean;
  readonly target: string;
  readonly atomic: boolean;
  /** When an attempt was at work that was killed while it wrote files beside their places. */
  readonly left: Span | undefined;
}

/**
 * Makes way for what is restored over somebody's data. kopia follows symlinks that stand where folders belong and,
 * writing in place, those where files belong; and there it would change each file that shares its content with another
 * by a hard link. Files are written atomically where that was asked for and kopia can.
 */
export async function makeWay(repository: KopiaRepository, restored: Restored): Promise<WayMade> {
  let longest = "";
  const clear = async (way: WayToWrite) => {
    const paths = restored.isFolder ? listPaths(repository, restored) : [basename(restored.path)];
    const measured = async function* () {
      for await (const path of paths) {
        if (!path.endsWith("/") && lengthOf(path) > lengthOf(longest) && lengthOf(path) <= LONGEST)
          longest = path;
        yield path;
      }
    };
    const entries = pathEntries(measured(), way === "Direct" ? "File" : "Name");
    await repository.fidelity.clear(restored.target, pathRecord(entries), restored);
  };
  if (restored.atomic) {
    await clear("Atomic");
    if (lengthOf(longest) <= LONGEST_ATOMIC) return { way: "Atomic", warnings: [] };
  }
  await clear("Direct");
  return { way: "Direct", warnings: restored.atomic ? [notAtomic(longest)] : [] };
}

function lengthOf(path: string): number {
  return Buffer.byteLength(basename(path));
}

function notAtomic(path: string): string {
  const name = `${basename(path).slice(0, 40)}…`;
  return `Files were written in their places, not atomically: kopia cannot do that with a name as long as that of ${name} (${lengthOf(path)} bytes, at most ${LONGEST_ATOMIC}).`;
}

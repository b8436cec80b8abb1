import { realpathSync } from "node:fs";
import type { Image } from "../embedded/node/pods/environment.ts";

const ENGINES = ["kopia", "restic", "holdfast-fidelity"];
const MOVER = "/usr/local/lib/holdfast/mover.mjs";
const NODE = "/usr/local/bin/node";

export interface LocalPrograms {
  /** The bundled mover. */
  readonly mover: string;
  readonly node: string;
  /** Engines by name; one that is absent is not on this machine. */
  readonly engines: Readonly<Record<string, string>>;
}

/**
 * What stands for an image on a machine without a container runtime: `holdfast/mover` of any tag is the mover with
 * its engines, `holdfast/host` the machine's own shell.
 */
export function localImages(programs: LocalPrograms): (name: string) => Image | undefined {
  const places: [string, string][] = [
    [NODE, programs.node],
    [MOVER, programs.mover],
    ...ENGINES.flatMap((name): [string, string][] => {
      const path = programs.engines[name];
      return path === undefined ? [] : [[`/usr/local/bin/${name}`, path]];
    }),
  ];
  const files = Object.fromEntries(places.map(([place, path]) => [place, realpathSync(path)]));
  const mover: Image = { command: [NODE, MOVER], files, user: 65532, translatesPaths: true };
  const host: Image = { command: ["sh"] };
  const images: Readonly<Record<string, Image>> = { "holdfast/mover": mover, "holdfast/host": host };
  return (name) => images[repositoryOf(name)];
}

/** An image's name without registry, tag and digest. */
function repositoryOf(name: string): string {
  return /(?:^|\/)(holdfast\/[a-z]+)(?=[:@]|$)/.exec(name)?.[1] ?? "";
}

import { realpathSync } from "node:fs";
import type { Image } from "../embedded/node/pods/environment.ts";
import { ENGINE_PROGRAMS } from "../mover/engine_maker.ts";

const MOVER = "/usr/local/lib/holdfast/mover.mjs";
const NODE = "/usr/local/bin/node";

export interface LocalPrograms {
  /** The bundled mover; without it there is no image of a mover. */
  readonly mover: string | undefined;
  readonly node: string;
  /** Engines by name; one that is absent is not on this machine. */
  readonly engines: Readonly<Record<string, string>>;
}

/**
 * What stands for an image on a machine without a container runtime: `holdfast/mover` of any tag is the mover with
 * its engines, `holdfast/host` the machine's own shell.
 */
export function localImages(programs: LocalPrograms): (name: string) => Image | undefined {
  const images: Readonly<Record<string, Image>> = {
    "holdfast/host": { command: ["sh"] },
    ...(programs.mover ? { "holdfast/mover": moverImage(programs, programs.mover) } : {}),
  };
  return (name) => images[repositoryOf(name)];
}

function moverImage({ node, engines }: LocalPrograms, mover: string): Image {
  const found = Object.keys(ENGINE_PROGRAMS).filter((name) => engines[name] !== undefined);
  const files = {
    [NODE]: realpathSync(node),
    [MOVER]: realpathSync(mover),
    ...Object.fromEntries(found.map((name) => [`/usr/local/bin/${name}`, realpathSync(engines[name] ?? "")])),
  };
  return { command: [NODE, MOVER], files, user: 65532, translatesPaths: true };
}

/** An image's name without registry, tag and digest. */
function repositoryOf(name: string): string {
  return /(?:^|\/)(holdfast\/[a-z]+)(?=[:@]|$)/.exec(name)?.[1] ?? "";
}

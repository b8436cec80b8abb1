import { mkdirSync, mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { bundle } from "../tools/run/bundle.ts";
import { bareEngine, buildGround, MILLION } from "./engine_ground.ts";
import { type Figure, informs } from "./figures.ts";
import { compareEngine } from "./mover_and_bare.ts";
import { Pod } from "./pod.ts";

/** A million small files, once with each engine. The memory is that of the engine itself. */
export async function millionFilesFigures(say: (line: string) => void): Promise<Figure[]> {
  const folder = mkdtempSync(join(tmpdir(), "holdfast-bench-"));
  try {
    const { path } = await bundle("src/main/mover.ts", folder, "mover");
    const source = join(folder, "pod/volumes/data");
    say(`${buildGround(source, MILLION).files} files`);
    const figures: Figure[] = [];
    for (const engine of ["kopia", "restic"] as const) {
      const home = join(folder, `home-${engine}`);
      mkdirSync(home);
      const pod = new Pod({ folder: join(folder, "pod"), program: path, engine });
      const bare = bareEngine(engine, home);
      const ground = { engine, pod, bare, source, folder, say };
      const once = await compareEngine(ground, { first: 1, unchanged: 1, restores: 0 });
      figures.push(
        informs(`${engine}: first backup of a million files`, once.first.ours / 1000, "s"),
        informs(`${engine} by hand: first backup of a million files`, once.first.bare / 1000, "s"),
        informs(`${engine}: unchanged backup of a million files`, once.unchanged.ours / 1000, "s"),
        informs(`${engine} by hand: unchanged backup of a million files`, once.unchanged.bare / 1000, "s"),
        informs(`${engine}: memory of mover and engine, at most`, once.treeMb, "MB"),
        informs(`${engine} by hand: memory, at most`, bare.peakMb(), "MB"),
      );
    }
    return figures;
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}

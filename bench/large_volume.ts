import { mkdirSync, mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { bundle } from "../tools/run/bundle.ts";
import { bareEngine, buildGround, LARGE_VOLUME } from "./engine_ground.ts";
import { atMost, type Figure, informs } from "./figures.ts";
import { compareEngine } from "./mover_and_bare.ts";
import { Pod } from "./pod.ts";

/** Of ours to by hand, at most. */
const LIMITS = { kopia: { first: 0.9, restore: 1 }, restic: { first: 1.05, restore: 1.05 } } as const;

/** 5 GiB in 50,000 files: what a run costs by itself hardly counts, and what the engine is told does. */
export async function largeVolumeFigures(say: (line: string) => void): Promise<Figure[]> {
  const folder = mkdtempSync(join(tmpdir(), "holdfast-bench-"));
  try {
    const { path } = await bundle("src/main/mover.ts", folder, "mover");
    const source = join(folder, "pod/volumes/data");
    const { files, bytes } = buildGround(source, LARGE_VOLUME);
    say(`${files} files, ${Math.round(bytes / 1e6)} MB`);
    const figures: Figure[] = [];
    for (const engine of ["kopia", "restic"] as const) {
      const home = join(folder, `home-${engine}`);
      mkdirSync(home);
      const pod = new Pod({ folder: join(folder, "pod"), program: path, engine });
      const ground = { engine, pod, bare: bareEngine(engine, home), source, folder, say };
      const { first, restored } = await compareEngine(ground, { first: 3, unchanged: 1, restores: 2 });
      const limits = LIMITS[engine];
      figures.push(
        informs(`${engine}: first backup of 5 GiB`, first.ours / 1000, "s"),
        informs(`${engine} by hand: first backup of 5 GiB`, first.bare / 1000, "s"),
        atMost(`${engine}: ratio of first backups`, first.ratio, "", limits.first),
        informs(`${engine}: restore of 5 GiB, until it is on the disk`, restored.ours / 1000, "s"),
        informs(`${engine} by hand: restore of 5 GiB, and sync`, restored.bare / 1000, "s"),
        atMost(`${engine}: ratio of restores`, restored.ratio, "", limits.restore),
      );
      // There is not room on every disk for both engines'.
      for (const side of ["bare", "ours"]) {
        rmSync(join(folder, `pod/${engine}-${side}-0`), { recursive: true });
        for (const round of [0, 1])
          rmSync(join(folder, `pod/volumes/${engine}-${side}-${round}`), { recursive: true });
      }
    }
    return figures;
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}

import { mkdirSync, mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { bundle } from "../tools/run/bundle.ts";
import { bareEngine, buildGround, TREE } from "./engine_ground.ts";
import { atMost, type Figure, informs, median } from "./figures.ts";
import { compareEngine, type EngineGround, work } from "./mover_and_bare.ts";
import { Pod } from "./pod.ts";

const STARTS = 7;

/** What plain runs of the engine, one after the other, may take beyond those of a person, in milliseconds. */
const BEYOND = { kopia: { first: 700, unchanged: 900 }, restic: { first: 1000, unchanged: 1000 } } as const;

/**
 * The mover beside the commands that do the same by hand, on the same files in turn, with full fidelity. Neither side
 * pays for the other: they take turns in going first, and each begins when the disk has nothing left to write.
 */
export async function moverFigures(say: (line: string) => void): Promise<Figure[]> {
  const folder = mkdtempSync(join(tmpdir(), "holdfast-bench-"));
  try {
    const { path, bytes } = await bundle("src/main/mover.ts", folder, "mover");
    const source = join(folder, "pod/volumes/data");
    const ground = buildGround(source, TREE);
    say(`${ground.files} files, ${Math.round(ground.bytes / 1e6)} MB`);
    const figures: Figure[] = [atMost("size of the bundle", bytes / 1024, "KiB", 600)];
    for (const engine of ["kopia", "restic"] as const) {
      const home = join(folder, `home-${engine}`);
      mkdirSync(home);
      const pod = new Pod({ folder: join(folder, "pod"), program: path, engine });
      figures.push(
        ...(await engineFigures({ engine, pod, bare: bareEngine(engine, home), source, folder, say })),
      );
    }
    return figures;
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}

async function engineFigures(ground: EngineGround): Promise<Figure[]> {
  const { engine, pod, say } = ground;
  const { first, unchanged, restored, peakMb, repository } = await compareEngine(ground, {
    first: 7,
    unchanged: 7,
    restores: 5,
  });
  say(`${engine}: ${STARTS} starts`);
  const starts: number[] = [];
  for (let i = 0; i < STARTS; i++) starts.push(await pod.engineStart(work(engine), repository));
  const beyond = BEYOND[engine];
  return [
    atMost(`${engine}: mover start to engine start`, median(starts), "ms", 150),
    atMost(`${engine}: the mover's own memory, at most`, peakMb, "MB", 60),
    informs(`${engine}: first backup`, first.ours, "ms"),
    informs(`${engine} by hand: first backup`, first.bare, "ms"),
    atMost(`${engine}: first backup, beyond by hand`, first.beyond, "ms", beyond.first),
    informs(`${engine}: unchanged backup`, unchanged.ours, "ms"),
    informs(`${engine} by hand: unchanged backup`, unchanged.bare, "ms"),
    atMost(`${engine}: unchanged backup, beyond by hand`, unchanged.beyond, "ms", beyond.unchanged),
    informs(`${engine}: restore, until it is on the disk`, restored.ours, "ms"),
    informs(`${engine} by hand: restore, and sync`, restored.bare, "ms"),
    informs(`${engine}: ratio of restores`, restored.ratio, ""),
  ];
}

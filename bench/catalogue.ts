import { fileURLToPath } from "node:url";
import { IMAGES } from "../tools/images/images.ts";
import { BareKopia } from "./bare_kopia.ts";
import { atMost, type Figure, informs } from "./figures.ts";
import { Program } from "./program.ts";
import type { CatalogueResult, CatalogueTask } from "./programs/catalogue.ts";

/** Five times as many snapshots, of which 10,000 are shown: as many as there ever are. The limits are for fewer. */
const LONG = process.env.HOLDFAST_LONG !== undefined;
const TASK: CatalogueTask = { identities: LONG ? 100 : 20, ofEach: 500 };

/** The first look at a repository with ten thousand snapshots, or fifty thousand, from the order to the last Backup, beside kopia's own list. */
export async function catalogueFigures(say: (line: string) => void): Promise<Figure[]> {
  const { identities, ofEach } = TASK;
  say(`${identities * ofEach} snapshots of ${identities} identities, and two looks of the operator`);
  const program = fileURLToPath(new URL("./programs/catalogue.ts", import.meta.url));
  // As the operator's image starts it, but from the sources: they bundle the mover.
  const { flags, env } = IMAGES.operator;
  const options = { flags, env: { ...process.env, ...env }, compileCache: false };
  const running = new Program(program, [JSON.stringify(TASK)], options);
  try {
    const result = JSON.parse(await running.line((line) => line.startsWith("{"))) as CatalogueResult;
    const { first, second, backups, grown, most, folder, password } = result;
    say("kopia's own list");
    using kopia = new BareKopia(folder, password);
    const listing = await kopia.list();
    return [
      informs("kopia by hand: connect and list", listing / 1000, "s"),
      informs("Backups that were made", backups, ""),
      informs("first look, until the last Backup is there", first / 1000, "s"),
      usually("the same, beyond kopia's list", (first - listing) / 1000, "s", 10),
      informs("a look without news", second / 1000, "s"),
      usually("memory of API server and operator together, grown by", grown, "MB", 150),
      informs("the same, all of it", most, "MB"),
    ];
  } finally {
    await running.end("SIGTERM");
  }
}

function usually(figure: string, value: number, unit: string, limit: number): Figure {
  return LONG ? informs(figure, value, unit) : atMost(figure, value, unit, limit);
}

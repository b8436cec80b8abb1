import { bytesText } from "../../lib/bytes_text.ts";
import { countText } from "../count_text.ts";
import { safeName } from "../files/entry_text.ts";
import { type Sighting, sightings } from "../files/sightings.ts";
import type { Call } from "../frame/command.ts";
import { EXIT, type ExitCode } from "../frame/exit_codes.ts";
import { referenceOf } from "../frame/kinds.ts";
import { printedValue } from "../frame/printed.ts";
import { CommandProblem } from "../frame/problem.ts";
import { namespaceOf } from "../frame/scope.ts";
import { type Column, table } from "../frame/table.ts";
import { backupsOf, recipeNamed } from "../restore/recipe_backups.ts";
import { inSameRepository, noBackup, withRepository } from "../session/with_snapshot.ts";

const COLUMNS: readonly Column<Sighting>[] = [
  { title: "PATH", cell: ({ path }) => safeName(path) },
  { title: "SIZE", cell: ({ size }) => bytesText(size) },
  { title: "MODIFIED", cell: ({ modifiedAt }) => modifiedAt.slice(0, 19).replace("T", " ") },
  { title: "VOLUME", cell: ({ volume }) => safeName(volume) },
  { title: "FIRST IN", cell: ({ backups }) => backups[0] ?? "" },
  { title: "LAST IN", cell: ({ backups }) => backups.at(-1) ?? "" },
  { title: "BACKUPS", cell: ({ backups }) => String(backups.length) },
];

/** Looks for a name in the snapshots of every Backup of a recipe. */
export async function find(call: Call): Promise<ExitCode> {
  const { given, signal, out, paint, progress } = call;
  const cluster = await call.cluster();
  const namespace = namespaceOf(call, cluster);
  const { name: config } = referenceOf(given.word(0), { kinds: ["config"], usual: "config" });
  const { recipe, backups } = await recipeNamed(cluster, { namespace, name: config }, signal);
  const all = backupsOf(backups, recipe);
  const [newest] = all;
  if (!newest) throw noBackup(config);
  const within = all.filter((backup) => inSameRepository(newest, backup));
  if (within.length < all.length) {
    const where = newest.status?.resolved?.repository?.name ?? "its repository";
    const apart = countText(all.length - within.length, "backup");
    progress.line(`left out, as in other repositories than ${where}: ${apart}`);
  }
  const found = await withRepository(call, [newest], (client) =>
    sightings(within.toReversed(), {
      name: given.word(1),
      search: (snapshot, name) => client.search(snapshot, { name }, { signal }),
      onBackup: (backup) => progress.show(`  looking into ${backup.metadata.name} …`),
    }),
  );
  progress.clear();
  const isPrinted = await printedValue(call, found);
  if (found.length === 0) {
    throw new CommandProblem(`${given.word(1)} is in none of ${countText(within.length, "backup")}`, {
      fix: "The name is a pattern: try *part*.",
      code: EXIT.notFound,
    });
  }
  if (!isPrinted) for (const line of table(found, COLUMNS, { paint })) out(line);
  return EXIT.done;
}

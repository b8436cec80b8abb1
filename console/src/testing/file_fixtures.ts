import type {
  Difference,
  Entry,
  FilePage,
  FileVersion,
  RunEvent,
  Sighting,
} from "../../../src/cli/console/contract.ts";
import { progressBar } from "../../../src/cli/progress_bar.ts";

/*
 * What a made-up snapshot holds, and what commands say of it.
 */

const AT = "2026-11-17T18:22:31Z";
const usual = { mode: 0o644, modifiedAt: AT, owner: { uid: 1000, gid: 1000 } } as const;
const folder = (name: string): Entry => ({ ...usual, name, type: "Folder", size: 4096, mode: 0o755 });
const file = (name: string, size: number): Entry => ({ ...usual, name, type: "File", size });

const FOLDERS: Readonly<Record<string, readonly Entry[]>> = {
  "": [
    folder("letters"),
    folder("many"),
    folder("photos"),
    file("<img src=x onerror=alert(1)>.txt", 24),
    file("all.tar", 812_331_008),
    file("bytes\ufffdlost.txt", 12),
    { ...usual, name: "latest", type: "Symlink", size: 14, mode: 0o777 },
    file("notes.txt", 2_311),
    file(
      "a very long name of a file that somebody made without a thought for the screens of others.markdown",
      91,
    ),
  ],
  letters: [folder("2026"), file("anna.txt", 1_204), file("ben.txt", 3_400)],
  "letters/2026": [],
  photos: [file("me.png", 70)],
};
const MANY = 10_000;
/** One red dot. */
const PICTURE =
  "iVBORw0KGgoAAAANSUhEUgAAAAUAAAAFCAYAAACNbyblAAAAHElEQVQI12P4//8/w38GIAXDIBKE0DHxgljNBAAO9TXL0Y4OHwAAAABJRU5ErkJggg==";

function entriesOf(path: string): readonly Entry[] {
  if (path !== "many") return FOLDERS[path] ?? [];
  return Array.from({ length: MANY }, (_, index) =>
    file(`entry-${String(index).padStart(5, "0")}.log`, index * 37),
  );
}

function pageOf(path: string, after: string, limit: number): FilePage {
  const all = entriesOf(path);
  const from = after === "" ? 0 : all.findIndex(({ name }) => name === after) + 1;
  const items = all.slice(from, from + limit);
  return { items, ...(from + limit < all.length ? { next: items.at(-1)?.name } : {}) };
}

const versions: readonly FileVersion[] = [1, 2, 3].map((number) => ({
  size: 1_000 * number,
  modifiedAt: `2026-11-${18 - number * 2}T08:12:00Z`,
  in: Array.from({ length: number }, (_, index) => ({
    namespace: "home",
    backup: `documents-${50_000 - number * 8 - index * 4}`,
    pvc: "documents",
    at: `2026-11-${18 - number * 2}T${10 - index}:00:00Z`,
  })),
}));

const sightings: readonly Sighting[] = ["letters/anna.txt", "letters/ben.txt", "notes.txt"].map(
  (path, index) => ({
    volume: "home/documents",
    path,
    size: 1_204 * (index + 1),
    modifiedAt: AT,
    backups: ["documents-49980", "documents-49996"].slice(index % 2),
  }),
);

const differences: readonly Difference[] = [
  { path: "letters/2026/new.txt", change: "added", after: file("new.txt", 4_096) },
  { path: "letters/anna.txt", change: "removed", before: file("anna.txt", 1_204) },
  {
    path: "notes.txt",
    change: "changed",
    what: ["size", "time", "mode"],
    before: file("notes.txt", 2_000),
    after: { ...file("notes.txt", 2_311), mode: 0o600 },
  },
  ...Array.from({ length: 10_000 }, (_, index): Difference => {
    const name = `entry-${index}.log`;
    return { path: `many/${name}`, change: "added", after: file(name, index) };
  }),
];

/** Answers in JSON, by the path below /api/files/. */
export function fileAnswer(path: string, ask: (name: string) => string): unknown {
  switch (path) {
    case "entries":
      return pageOf(ask("path"), ask("after"), Number(ask("limit")));
    case "versions":
      return versions;
    case "search":
      return { found: ask("name").startsWith("no") ? [] : sightings, cut: false };
    case "diff":
      return differences;
    default:
      return undefined;
  }
}

/** The bytes of a file. */
export function contentOf(path: string): { readonly type: string; readonly body: Buffer } {
  if (path.endsWith(".png")) return { type: "image/png", body: Buffer.from(PICTURE, "base64") };
  const text = `Dear Anna,\n\nthis is ${path}.\n<script>alert("never")</script>\n`;
  return { type: "text/plain; charset=utf-8", body: Buffer.from(text) };
}

const GIB = 2 ** 30;
const out = (line: string): RunEvent => ({ type: "out", line });
const note = (line: string): RunEvent => ({ type: "note", line });

/** What a command says, in order; undefined for those that have nothing of their own. */
export function runSays(words: readonly string[]): readonly RunEvent[] | undefined {
  if (words[0] !== "restore") return undefined;
  const at = (option: string) => words[words.indexOf(option) + 1] ?? "";
  const into = words.includes("--undo") ? "documents" : words.includes("--into") ? at("--into") : undefined;
  const target = into ?? at("--to");
  if (target.startsWith("broken")) {
    const why = "The namespace has no Repository nas.";
    return [{ type: "failed", code: 3, message: "config/broken is not there", why, fix: "Apply it first." }];
  }
  const scaled = words.includes("--scale-down");
  const deletes = words.includes("--delete-extra");
  const plan = [
    `Restore home/${target}-x7:`,
    "  from  volume home/documents of backup documents-49996, of 2026-11-18T03:00:00Z (9h ago), 2.1 GiB",
    ...(into === undefined
      ? [`  to    a new claim home/${target} of 20Gi, ReadWriteOnce, in the default class`]
      : [
          `  to    the claim home/${into}, in place`,
          "  files that are there are OVERWRITTEN",
          ...(deletes ? ["  files that the snapshot does not hold are DELETED"] : []),
          `  last  backup of ${into}: documents-50000, 5m ago, 2.2 GiB; what was written since is in no backup`,
          words.includes("--no-backup-first")
            ? `  first NO backup of ${into} is made: what is overwritten cannot be brought back by --undo`
            : `  first a backup of ${into} is made, by config documents; holdfast restore --undo goes back to it`,
          `  pods  documents-7d9f mount it: ${scaled ? "what they belong to is scaled down, and brought back afterwards" : "nothing is written before they are gone (or use --scale-down)"}`,
          ...(deletes
            ? [
                "  WARNING  The snapshot holds 2048 bytes, and the last backups of the volume 10000: most of its files would be deleted.",
              ]
            : []),
        ]),
  ];
  if (words.includes("--dry-run")) return [...plan.map(out), { type: "done" }];
  return [
    ...plan.map(note),
    ...(into === undefined ? [] : [note(`backup/before-${target}-x7 is made first`), note("Running")]),
    note(`restore/${target}-x7 is made`),
    note("Running"),
    ...Array.from({ length: 21 }, (_, step): RunEvent => {
      const progress = { bytes: (step / 20) * 2.1 * GIB, files: step * 91, estimatedBytes: 2.1 * GIB };
      return { type: "progress", line: `  ${progressBar(progress, { perSecond: 31 * 2 ** 20, room: 90 })}` };
    }),
    out(`restore/${target}-x7 is done: 2.1 GiB, 1820 files, in 71s`),
    out("  not brought back: 3 × Ownership: the mover may not set owners in this namespace"),
    { type: "done" },
  ];
}

import type { SessionClient } from "../../core/work/session/session_client.ts";
import type { Entry } from "../../wire/entry.ts";
import type { Call } from "../frame/command.ts";
import { Pace } from "../pace.ts";
import { progressBar } from "../progress_bar.ts";
import { type Downloaded, type DownloadOptions, downloadTree } from "./download_tree.ts";

/** What is fetched, and where to. */
export interface Wanted {
  /** Of the snapshot. */
  readonly id: string;
  readonly path: string;
  /** What is at the path. The size of a folder is that of all files in it; zero where it is not known. */
  readonly entry: Entry;
  readonly target: string;
  /** Replace files that are there. */
  readonly force: boolean;
}

const INDENT = "  ";
/** A file comes in thousands of parts a second: the line is written over at most so often, in milliseconds. */
const EVERY = 200;

/** Fetches a file or a folder of a snapshot, and shows how far it is. */
export async function downloadShown(
  call: Pick<Call, "progress" | "clock" | "random" | "signal">,
  client: Pick<SessionClient, "entries" | "read">,
  { id, path, entry, target, force }: Wanted,
): Promise<Downloaded> {
  const { signal, random } = call;
  const source = {
    entries: (folder: string) => client.entries(id, folder, { signal }),
    read: (file: string) => client.read(id, file, { signal }),
  };
  try {
    return await downloadTree(entry, path, target, { source, force, random, ...shower(call, entry) });
  } finally {
    call.progress.clear();
  }
}

function shower(
  { progress: screen, clock }: Pick<Call, "progress" | "clock">,
  { type, size }: Entry,
): Pick<DownloadOptions, "onBytes" | "onFile"> {
  const pace = new Pace(clock);
  pace.seen(0);
  let [bytes, files] = [0, 0];
  let shownAt = Number.NEGATIVE_INFINITY;
  const show = () => {
    if (clock.monotonic() - shownAt < EVERY) return;
    shownAt = clock.monotonic();
    // Of one file there is nothing to count.
    const progress = { bytes, estimatedBytes: size, ...(type === "Folder" ? { files } : {}) };
    const options = { perSecond: pace.seen(bytes), room: screen.columns - INDENT.length };
    screen.show(`${INDENT}${progressBar(progress, options)}`);
  };
  return {
    onBytes: (_, more) => {
      bytes += more;
      show();
    },
    onFile: () => {
      files++;
      show();
    },
  };
}

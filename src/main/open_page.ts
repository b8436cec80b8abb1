import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { pathToFileURL } from "node:url";
import { aborted } from "../lib/aborted.ts";
import type { Processes } from "../lib/processes.ts";

export interface OpenPageOptions {
  readonly processes: Pick<Processes, "run">;
  /** The program that opens files. */
  readonly opener: string;
  /** Ends the program that opens. */
  readonly signal: AbortSignal;
  /** Aborts when the address is of no use any more. */
  readonly done: AbortSignal;
  /** Where files are kept for a while. */
  readonly folder?: string;
}

/**
 * Shows an address in the person's browser. It is a secret, and everybody on the machine may read what programs are started
 * with: so they are started with a file that only its owner reads, and that leads on to it.
 */
export async function openPage(
  address: string,
  { processes, opener, signal, done, folder = tmpdir() }: OpenPageOptions,
): Promise<void> {
  if (done.aborted) return;
  const own = mkdtempSync(join(folder, "holdfast-console-"));
  const remove = () => rmSync(own, { recursive: true, force: true });
  // At once, as the program may be about to end.
  done.addEventListener("abort", remove, { once: true });
  try {
    const file = join(own, "open.html");
    writeFileSync(file, leadingTo(address), { mode: 0o600 });
    const { code } = await processes.run(opener, [pathToFileURL(file).href], { signal });
    if (code === 0) await aborted(done);
  } finally {
    remove();
  }
}

function leadingTo(address: string): string {
  return `<!doctype html><meta charset="utf-8"><meta name="referrer" content="no-referrer"><meta http-equiv="refresh" content="0;url=${address}"><title>Holdfast</title><p><a href="${address}">Open the console</a>`;
}

import { createInterface } from "node:readline/promises";

export interface AskOptions {
  readonly input: NodeJS.ReadableStream;
  readonly output: NodeJS.WritableStream;
  readonly signal: AbortSignal;
  /** Ctrl-C: on a terminal it is a key like others while a line is read, and no signal. */
  readonly interrupt: () => void;
}

/** Asks, and waits for a line; undefined when the input ends, as with Ctrl-D. */
export async function askLine(
  question: string,
  { input, output, signal, interrupt }: AskOptions,
): Promise<string | undefined> {
  const lines = createInterface({ input, output });
  const ended = Promise.withResolvers<undefined>();
  lines.once("SIGINT", interrupt);
  lines.once("close", () => ended.resolve(undefined));
  try {
    const asked = lines.question(question, { signal }).catch((error: unknown) => {
      if (signal.aborted) throw error;
      // Node rejects the question on Ctrl-D.
      return undefined;
    });
    const line = await Promise.race([asked, ended.promise]);
    if (line === undefined) output.write("\n");
    return line;
  } finally {
    lines.close();
  }
}

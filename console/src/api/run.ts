import type { Run, RunEvent } from "../../../src/cli/console/contract.ts";
import { linesOf } from "../text/lines.ts";
import { posted } from "./http.ts";

/** Runs a line of the command line, and tells how it goes. Aborting ends the command as Ctrl-C would. */
export async function* runEvents(run: Run, signal: AbortSignal): AsyncIterable<RunEvent> {
  const { body } = await posted("run", run, signal);
  if (!body) return;
  const text = body.pipeThrough(new TextDecoderStream() as ReadableWritablePair<string, Uint8Array>);
  for await (const line of linesOf(piecesOf(text))) yield JSON.parse(line) as RunEvent;
}

/** Not every browser's streams can be iterated. */
async function* piecesOf(stream: ReadableStream<string>): AsyncIterable<string> {
  const reader = stream.getReader();
  try {
    for (;;) {
      const { done, value } = await reader.read();
      if (done) return;
      yield value;
    }
  } finally {
    await reader.cancel().catch(() => undefined);
  }
}

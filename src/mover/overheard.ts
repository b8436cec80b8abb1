import { basename } from "node:path";
import type { StreamedProcesses } from "../lib/streamed_process.ts";

/** A longer line is cut. */
const LONGEST = 2000;

/** The same, and `tell` hears of each program that is started, and each line that it writes to standard error. */
export function overheard(processes: StreamedProcesses, tell: (line: string) => void): StreamedProcesses {
  return {
    async start(command, args, options) {
      const name = basename(command);
      const say = (line: string) => tell(line.length > LONGEST ? `${line.slice(0, LONGEST)}…` : line);
      say(`${name} ${args.join(" ")}`);
      const process = await processes.start(command, args, options);
      const { stdout, ended, kill, effort } = process;
      return {
        stdout,
        stderr: heard(process.stderr, (line) => say(`${name}: ${line}`)),
        ended,
        kill: kill.bind(process),
        ...(effort ? { effort: effort.bind(process) } : {}),
      };
    },
  };
}

/** Of a line that is rewritten, such as one of progress, only the last state is told. */
async function* heard(
  chunks: AsyncIterable<Uint8Array>,
  tell: (line: string) => void,
): AsyncIterable<Uint8Array> {
  const decoder = new TextDecoder();
  let rest = "";
  const say = (line: string) => {
    const last = line.slice(line.lastIndexOf("\r", line.length - 2) + 1).trim();
    if (last !== "") tell(last);
  };
  for await (const chunk of chunks) {
    const parts = (rest + decoder.decode(chunk, { stream: true })).split("\n");
    rest = (parts.pop() ?? "").slice(-LONGEST);
    for (const line of parts) say(line);
    yield chunk;
  }
  say(rest);
}

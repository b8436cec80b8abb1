import type { ProcessEnd, StreamedProcesses } from "../../lib/streamed_process.ts";

type Args = readonly string[];

/** Programs that print what is asked of them by their arguments, and end well; those that hang end when they are told to. */
export function printingProcesses(
  print: (args: Args) => Iterable<string>,
  hangs: (args: Args) => boolean = () => false,
): StreamedProcesses {
  return {
    async start(_, args) {
      const { promise: ended, resolve: end } = Promise.withResolvers<ProcessEnd>();
      if (!hangs(args)) end({ code: 0, signal: null });
      return {
        stdout: (async function* () {
          for (const part of print(args)) yield Buffer.from(part);
          await ended;
        })(),
        stderr: (async function* () {})(),
        ended,
        kill: () => end({ code: 130, signal: null }),
      };
    },
  };
}

import { existsSync } from "node:fs";
import { join } from "node:path";
import { aborted } from "../../lib/aborted.ts";
import type { Logger } from "../../observe/log.ts";
import { loopbackConsole } from "../console/loopback_console.ts";
import type { Call } from "../frame/command.ts";
import { EXIT, type ExitCode } from "../frame/exit_codes.ts";
import { CommandProblem, misuse } from "../frame/problem.ts";

/** Serves the console on this machine alone, with the rights of whoever runs it, until Ctrl-C. */
export async function console(call: Call): Promise<ExitCode> {
  const { given, signal, progress } = call;
  const page = pageFolder(call.env);
  const port = portOf(given.text("port"));
  // Whoever may not reach the cluster is told here, and not by the page.
  await call.cluster();
  const used = new AbortController();
  await using opened = await loopbackConsole({
    ports: {
      ...call,
      log: told(call),
      sessionRequest: (_, ...[repository, image]) => call.sessionRequest(repository, image),
    },
    cluster: call.cluster,
    page,
    port,
    onLinkUsed: (address) => {
      used.abort(new Error("the link has been used"));
      progress.line(`In another browser: ${address}`);
    },
    signal,
  });
  const { address } = opened;
  call.out(`The console is at ${address}`);
  progress.line("It has your rights, for this machine alone. Ctrl-C ends it.");
  if (!given.flag("no-open"))
    call.openPage?.(address, AbortSignal.any([signal, used.signal])).catch(() => {});
  await aborted(signal);
  return EXIT.done;
}

function portOf(text: string | undefined): number {
  const port = Number(text ?? "0");
  if (Number.isInteger(port) && port >= 0 && port < 65_536) return port;
  throw misuse(`--port is ${JSON.stringify(text)}`, "Name a number below 65536.");
}

/** The built page: where the environment says, else beside this program. */
export function pageFolder({ HOLDFAST_CONSOLE: named }: Call["env"], beside = import.meta.dirname): string {
  const places = named ? [named] : [join(beside, "console"), join(beside, "..", "console")];
  const found = places.find((place) => existsSync(join(place, "index.html")));
  if (found !== undefined) return found;
  throw new CommandProblem("the page of the console is not there", {
    why: named
      ? `HOLDFAST_CONSOLE is ${named}, and holds no index.html.`
      : "No folder console is beside this program.",
    fix: named
      ? "Name the folder of the built page."
      : "Install the whole program, or name the folder of the built page in HOLDFAST_CONSOLE.",
  });
}

/** What people did with it, in a line each. */
function told({ progress, clock }: Pick<Call, "progress" | "clock">): Logger {
  const line: Logger["info"] = ({ line: text, outcome, message }, what) => {
    const at = new Date(clock.now()).toISOString().slice(11, 19);
    const of = [text ?? what, outcome, message].filter((one) => typeof one === "string");
    progress.line(`${at}  ${of.join(": ")}`);
  };
  const log: Logger = { debug() {}, info: line, warn: line, error: line, child: () => log };
  return log;
}

import type { SessionRequest } from "../../core/work/session/session_request.ts";
import type { Clock } from "../../lib/clock.ts";
import type { Random } from "../../lib/random.ts";
import { Screen } from "../screen.ts";
import type { AnyRepository, Call, Cluster, CommandSpec } from "./command.ts";
import { EXIT } from "./exit_codes.ts";
import type { Given } from "./given.ts";
import { parse } from "./parse.ts";
import { CommandProblem } from "./problem.ts";
import { shownText } from "./shown_text.ts";
import { paintFor, type Terminal } from "./terminal.ts";

export interface CliOptions {
  readonly argv: readonly string[];
  readonly commands: readonly CommandSpec[];
  readonly terminal: Terminal;
  readonly clock: Clock;
  readonly random: Random;
  readonly signal: AbortSignal;
  readonly env: Readonly<Record<string, string | undefined>>;
  /** Of this program. */
  readonly version: string;
  /** Reaches the cluster that the options name. */
  readonly connect: (given: Given) => Promise<Cluster & Disposable>;
  readonly sessionRequest: (
    cluster: Cluster,
    repository: AnyRepository,
    image: string,
    signal: AbortSignal,
  ) => Promise<SessionRequest>;
  readonly operatorRules: Call["operatorRules"];
  readonly views: Call["views"];
  readonly openPage?: Call["openPage"];
}

/** Carries out one command line. Never throws: whatever goes wrong is told, and is in the code. */
export async function runCli(options: CliOptions): Promise<number> {
  const { argv, commands, terminal, env, clock, random, signal, connect } = options;
  let cluster: Promise<Cluster & Disposable> | undefined;
  const progress = new Screen(terminal.err, clock);
  let namespace: string | undefined;
  try {
    if (argv[0] === "__complete") {
      const { completed } = await import("../complete/complete.ts");
      const reach = (given: Given) => (cluster ??= connect(given));
      const { views } = options;
      const lines = await completed({ words: argv.slice(1), commands, connect: reach, views, clock, signal });
      terminal.out.write(`${lines.join("\n")}\n`);
      return EXIT.done;
    }
    const asked = parse(argv, commands);
    if ("help" in asked) {
      const { helpText } = await import("./help.ts");
      terminal.out.write(`${helpText(asked.help, commands)}\n`);
      return EXIT.done;
    }
    const { command, given } = asked;
    namespace = given.text("namespace");
    const run = await command.load();
    const reach = () => {
      cluster ??= connect(given);
      return cluster;
    };
    return await run({
      given,
      terminal,
      out: (line) => {
        progress.clear();
        terminal.out.write(`${shownText(line)}\n`);
      },
      progress,
      paint: paintFor(terminal.out, env),
      clock,
      random,
      signal,
      env,
      version: options.version,
      cluster: reach,
      operatorRules: options.operatorRules,
      views: options.views,
      openPage: options.openPage,
      sessionRequest: async (repository, image) =>
        options.sessionRequest(await reach(), repository, image, signal),
    });
  } catch (error) {
    progress.clear();
    // Of what goes on in the cluster a person is told; of an answer that nobody waits for any more, nothing.
    if (signal.aborted && !(error instanceof CommandProblem && error.code === EXIT.interrupted))
      return EXIT.interrupted;
    return await tell(error, options, await meantBy(error, { cluster, namespace, signal }));
  } finally {
    await cluster?.then((one) => one[Symbol.dispose]()).catch(() => {});
  }
}

/** What a name that the server does not know was likely meant to be. */
async function meantBy(error: unknown, { cluster, namespace, signal }: Sought): Promise<string | undefined> {
  const reached = await cluster?.catch(() => undefined);
  if (!reached || signal.aborted) return undefined;
  const { meantName } = await import("./meant_name.ts");
  return meantName(error, reached, namespace ?? reached.namespace, signal);
}

interface Sought {
  readonly cluster: Promise<Cluster> | undefined;
  readonly namespace: string | undefined;
  readonly signal: AbortSignal;
}

async function tell(
  error: unknown,
  { terminal, env }: CliOptions,
  meant: string | undefined,
): Promise<number> {
  const { explainedError } = await import("./explained_error.ts");
  const { message, why, fix: usual, code } = explainedError(error);
  const fix = meant === undefined ? usual : `Did you mean ${meant}?`;
  const paint = paintFor(terminal.err, env);
  const lines = [
    code === EXIT.interrupted ? message : `${paint("bad", "error:")} ${message}`,
    ...(why ? [`  why: ${why}`] : []),
    ...(fix ? [`  fix: ${fix}`] : []),
  ];
  for (const line of lines) terminal.err.write(`${shownText(line)}\n`);
  return code;
}

import { parseArgs } from "node:util";
import { messageOf } from "../lib/result.ts";

/** Where the API server of one machine listens, or at a free port if somebody else is there. */
export const PORT = 18443;

/** The demonstrations beside that of the main job. */
export const DEMOS = ["plumber", "autorestore"] as const;
export type DemoName = (typeof DEMOS)[number];

/** What `npm start` is told. */
export interface EmbeddedOptions {
  readonly once: boolean;
  readonly demo: boolean;
  /** Another demonstration than that of the main job. */
  readonly demoOf?: DemoName;
  /** 0: any free one. */
  readonly port: number;
  readonly metricsPort?: number;
}

/** What was asked for on the command line. An Error says what is wrong with it, and what it could be. */
export function embeddedOptions(args: readonly string[]): EmbeddedOptions {
  try {
    const { rest, demoOf } = namedDemo(args);
    const { values } = parseArgs({
      args: rest,
      options: {
        once: { type: "boolean", default: false },
        demo: { type: "boolean", default: true },
        port: { type: "string", default: String(PORT) },
        "metrics-port": { type: "string" },
      },
      allowNegative: true,
    });
    const { once, demo, "metrics-port": metrics } = values;
    const port = portOf("--port", values.port);
    return {
      once,
      demo,
      ...(demoOf === undefined ? {} : { demoOf }),
      port,
      ...(metrics === undefined ? {} : { metricsPort: portOf("--metrics-port", metrics) }),
    };
  } catch (error) {
    throw new Error(
      `${messageOf(error)}\nThe options are --no-demo, --once, --port=<port>, --metrics-port=<port> and --demo ${DEMOS.join("|")}. Nothing was started.`,
      { cause: error },
    );
  }
}

/** Takes the name of a demonstration out, such as `--demo plumber`. */
function namedDemo(args: readonly string[]): { readonly rest: string[]; readonly demoOf?: DemoName } {
  const at = args.indexOf("--demo");
  const given = args[at + 1];
  if (at < 0 || given === undefined || given.startsWith("-")) return { rest: [...args] };
  const demoOf = DEMOS.find((name) => name === given);
  if (!demoOf) throw new Error(`--demo is ${JSON.stringify(given)}: it must be ${DEMOS.join(" or ")}.`);
  return { rest: args.toSpliced(at, 2), demoOf };
}

function portOf(option: string, given: string): number {
  if (!/^\d{1,5}$/.test(given) || Number(given) > 65535)
    throw new Error(`${option} is ${JSON.stringify(given)}: it must be a port, up to 65535.`);
  return Number(given);
}

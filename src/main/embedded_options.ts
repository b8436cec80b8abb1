import { parseArgs } from "node:util";
import { messageOf } from "../lib/result.ts";

/** Where the API server of one machine listens, or at a free port if somebody else is there. */
export const PORT = 18443;

/** What `npm start` is told. */
export interface EmbeddedOptions {
  readonly once: boolean;
  readonly demo: boolean;
  /** 0: any free one. */
  readonly port: number;
  readonly metricsPort?: number;
}

/** What was asked for on the command line. An Error says what is wrong with it, and what it could be. */
export function embeddedOptions(args: readonly string[]): EmbeddedOptions {
  try {
    const { values } = parseArgs({
      args: [...args],
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
      port,
      ...(metrics === undefined ? {} : { metricsPort: portOf("--metrics-port", metrics) }),
    };
  } catch (error) {
    throw new Error(
      `${messageOf(error)}\nThe options are --no-demo, --once, --port=<port> and --metrics-port=<port>. Nothing was started.`,
      { cause: error },
    );
  }
}

function portOf(option: string, given: string): number {
  if (!/^\d{1,5}$/.test(given) || Number(given) > 65535)
    throw new Error(`${option} is ${JSON.stringify(given)}: it must be a port, up to 65535.`);
  return Number(given);
}

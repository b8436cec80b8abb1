import type { Clock } from "../../lib/clock.ts";
import { HttpFailure, type WebSocketConnection } from "../../lib/http.ts";
import { ApiError, type Status } from "../api_error.ts";
import { Pods } from "../builtin.ts";
import type { ObjectName } from "../object.ts";
import { type ApiCall, describe } from "./api_call.ts";
import { Caller, type CallerOptions } from "./caller.ts";

export interface LogOptions {
  readonly signal: AbortSignal;
  readonly container?: string;
  /** Stays until the container ends. */
  readonly follow?: boolean;
  readonly tailLines?: number;
  readonly limitBytes?: number;
  readonly sinceSeconds?: number;
  /** Of the container's run before this one. */
  readonly previous?: boolean;
  readonly timestamps?: boolean;
}

export interface ExecOptions {
  readonly signal: AbortSignal;
  readonly container?: string;
  readonly command: readonly string[];
  readonly stdin?: Uint8Array;
  /** What comes next waits for it. */
  readonly onStdout?: (chunk: Uint8Array) => void | Promise<void>;
  readonly onStderr?: (chunk: Uint8Array) => void;
}

export interface ExecResult {
  readonly exitCode: number;
  /** The runtime's words when the command failed. */
  readonly message: string;
}

/** A connection to a port of a pod. */
export interface PortConnection {
  readonly data: AsyncIterable<Uint8Array>;
  send(data: Uint8Array): Promise<void>;
  close(): void;
}

const STDIN = 0;
const STDOUT = 1;
const STDERR = 2;
const ERROR = 3;
/** In v5 of the protocol: the channel named by the next byte is closed. */
const CLOSE = 255;

/** Time to the server's answer, in milliseconds. */
const OPENING_MS = 30_000;

/**
 * What goes through the API server to a pod itself: its logs, commands run in it, connections to its ports. A server
 * that does not answer is given up; once it has, the caller's signal alone ends what was begun.
 */
export class PodClient {
  readonly #caller: Caller;
  readonly #clock: Clock;

  constructor(options: CallerOptions) {
    this.#caller = new Caller(options);
    this.#clock = options.clock;
  }

  /** The bytes of a container's log. */
  async *logs(name: ObjectName, options: LogOptions): AsyncIterable<Uint8Array> {
    const { signal, ...query } = options;
    const call: ApiCall = {
      verb: query.follow ? "follow" : "get",
      method: "GET",
      resource: Pods,
      scope: { ...name, subresource: "log" },
      query,
      accept: "*/*",
    };
    // A follower may be answered with the first line alone, however late a quiet container says it.
    const response = await this.#answered(call, signal, (bound) =>
      this.#caller.reopen(call, { signal: query.follow ? signal : bound, tries: bound }),
    );
    yield* response.body;
  }

  /** Runs a command in a container, to its end. A command that fails is a result; one that cannot be run throws. */
  async exec(name: ObjectName, options: ExecOptions): Promise<ExecResult> {
    const { signal, container, command, stdin, onStdout, onStderr } = options;
    const commands = command.map((word) => `&command=${encodeURIComponent(word)}`).join("");
    const query = { container, stdin: stdin !== undefined, stdout: true, stderr: true };
    const call: ApiCall = {
      verb: "exec",
      method: "GET",
      resource: Pods,
      scope: { ...name, subresource: "exec" },
      query,
    };
    const connection = await this.#connect(call, ["v5.channel.k8s.io"], signal, commands);
    if (stdin !== undefined) {
      await connection.send(Buffer.concat([Buffer.of(STDIN), stdin]));
      await connection.send(Buffer.of(CLOSE, STDIN));
    }
    for await (const message of connection.messages) {
      const payload = message.subarray(1);
      if (message[0] === STDOUT) await onStdout?.(payload);
      else if (message[0] === STDERR) onStderr?.(payload);
      else if (message[0] === ERROR)
        return execResult(JSON.parse(Buffer.from(payload).toString()) as Status, call);
    }
    throw new HttpFailure(`${describe(call)}: the connection ended before the command did`, {
      code: "ECONNRESET",
      sent: true,
    });
  }

  /** Opens one connection to a port of the pod. */
  async portForward(name: ObjectName, port: number, signal: AbortSignal): Promise<PortConnection> {
    const scope = { ...name, subresource: "portforward" };
    const call: ApiCall = {
      verb: "portforward",
      method: "GET",
      resource: Pods,
      scope,
      query: { ports: port },
    };
    const connection = await this.#connect(call, ["v4.channel.k8s.io"], signal);
    return {
      data: portData(connection, call),
      send: (data) => connection.send(Buffer.concat([Buffer.of(0), data])),
      close: () => connection.close(),
    };
  }

  #connect(
    call: ApiCall,
    protocols: readonly string[],
    signal: AbortSignal,
    more = "",
  ): Promise<WebSocketConnection> {
    return this.#answered(call, signal, (bound) =>
      this.#caller.connect(call, { protocols, more, signal: bound }),
    );
  }

  async #answered<T>(
    call: ApiCall,
    signal: AbortSignal,
    open: (bound: AbortSignal) => Promise<T>,
  ): Promise<T> {
    const silent = new AbortController();
    const cancel = this.#clock.after(OPENING_MS, () => {
      const message = `${describe(call)}: there was no answer for ${OPENING_MS / 1000} s`;
      silent.abort(new HttpFailure(message, { code: "ESILENT", sent: true }));
    });
    try {
      return await open(AbortSignal.any([signal, silent.signal]));
    } finally {
      cancel();
    }
  }
}

/** Channel 0 is data, 1 is errors; the first message of each repeats the port. */
async function* portData(connection: WebSocketConnection, call: ApiCall): AsyncIterable<Uint8Array> {
  const greeted = new Set<number>();
  for await (const message of connection.messages) {
    const channel = message[0] ?? 0;
    const payload = message.subarray(1);
    if (!greeted.has(channel)) {
      greeted.add(channel);
    } else if (channel === 0) {
      yield payload;
    } else {
      const said = Buffer.from(payload).toString();
      throw new HttpFailure(`${describe(call)}: ${said}`, { code: "ECONNREFUSED", sent: true });
    }
  }
}

function execResult(status: Status & { readonly status?: string }, call: ApiCall): ExecResult {
  if (status.status === "Success") return { exitCode: 0, message: "" };
  const code = status.details?.causes?.find((cause) => cause.reason === "ExitCode")?.message;
  if (code === undefined) throw new ApiError({ request: describe(call), code: status.code ?? 500, status });
  return { exitCode: Number(code), message: status.message ?? "" };
}

import { type Clock, sleep } from "../../lib/clock.ts";
import type { WebSocketConnection } from "../../lib/http.ts";
import type { StartCommand } from "./pod_exec.ts";
import { refusalOf } from "./refusal.ts";

/** How a command ended. */
export interface ExecEnd {
  readonly code: number;
}

export interface Streams {
  readonly stdin: boolean;
  readonly stdout: boolean;
  readonly stderr: boolean;
}

const STDIN = 0;
const STDOUT = 1;
const STDERR = 2;
const ERROR = 3;
/** In v5 of the protocol: the channel named by the next byte is closed. */
const CLOSE = 255;

/** kubectl 1.32 loses what it is told, the exit code included, before it has prepared its channels. */
const PREPARING = 50;

/** Bytes of an output that may be on their way to the client before more is read: to wait for each part is slow. */
const ON_THE_WAY = 2 ** 20;

/** Runs a command over a connection whose messages begin with the number of their channel. */
export async function serveExec(
  connection: WebSocketConnection,
  streams: Streams,
  start: StartCommand,
  clock: Clock,
): Promise<void> {
  const prepared = sleep(clock, PREPARING);
  const send = async (channel: number, data: Uint8Array) => {
    await prepared;
    await connection.send(Buffer.concat([Buffer.of(channel), data]));
  };
  let status: object;
  try {
    const command = await start(streams.stdin ? input(connection) : undefined);
    // Without input the client has nothing to say, but has to be listened to: its leaving shows there.
    if (!streams.stdin) void drain(connection.messages[Symbol.asyncIterator]());
    await Promise.all([
      pour(command.stdout, streams.stdout ? (data) => send(STDOUT, data) : undefined),
      pour(command.stderr, streams.stderr ? (data) => send(STDERR, data) : undefined),
    ]);
    status = statusOf(await command.ended);
  } catch (error) {
    status = refusalOf(error).status;
  }
  await send(ERROR, Buffer.from(JSON.stringify(status)));
}

/**
 * What the client writes, until it says that there is no more or goes away. The loop over its messages is never left:
 * that would close the connection.
 */
async function* input(connection: WebSocketConnection): AsyncGenerator<Uint8Array> {
  const messages = connection.messages[Symbol.asyncIterator]();
  for (;;) {
    const { done, value = new Uint8Array() } = await messages
      .next()
      .catch(() => ({ done: true, value: undefined }));
    if (done) return;
    if (value[0] === CLOSE && value[1] === STDIN) return void drain(messages);
    if (value[0] === STDIN && value.length > 1) yield value.subarray(1);
  }
}

/** Reads to the end, also when nobody takes it any more: the command must not stand still. */
async function pour(
  output: AsyncIterable<Uint8Array>,
  take: ((data: Uint8Array) => Promise<void>) | undefined,
): Promise<void> {
  let taker = take;
  let onTheWay = 0;
  let last: Promise<void> | undefined;
  for await (const data of output) {
    onTheWay += data.length;
    last = taker?.(data)
      .catch(() => {
        taker = undefined;
      })
      .finally(() => {
        onTheWay -= data.length;
      });
    if (onTheWay > ON_THE_WAY) await last;
  }
  await last;
}

async function drain(messages: AsyncIterator<Uint8Array>): Promise<void> {
  try {
    while (!(await messages.next()).done);
  } catch {
    // It broke: whoever writes next is told.
  }
}

function statusOf({ code }: ExecEnd): object {
  if (code === 0) return { metadata: {}, status: "Success" };
  return {
    metadata: {},
    status: "Failure",
    message: `command terminated with non-zero exit code: exit status ${code}`,
    reason: "NonZeroExitCode",
    details: { causes: [{ reason: "ExitCode", message: String(code) }] },
  };
}

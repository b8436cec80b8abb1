import { once } from "node:events";
import { PassThrough } from "node:stream";
import type { PodClient } from "../../kube/client/pod_client.ts";
import type { ObjectName } from "../../kube/object.ts";
import { HttpFailure, type HttpRequest, type HttpResponse, type HttpSender } from "../../lib/http.ts";
import { messageOf } from "../../lib/result.ts";
import { askCommand } from "./ask_script.ts";

export interface ExecSenderOptions {
  readonly pods: Pick<PodClient, "exec">;
  readonly pod: ObjectName;
  /** On which the session listens, in its pod. */
  readonly port: number;
  readonly signal: AbortSignal;
}

const NEWLINE = 0x0a;

/** Questions to a session, each carried by a command in its pod. */
export class ExecSender implements HttpSender {
  readonly #options: ExecSenderOptions;
  readonly #stop = new AbortController();

  constructor(options: ExecSenderOptions) {
    this.#options = options;
  }

  send({ path, signal }: HttpRequest): Promise<HttpResponse> {
    const { pods, pod, port } = this.#options;
    const head = Promise.withResolvers<HttpResponse>();
    const body = new PassThrough();
    const left = new AbortController();
    // Whoever reads no further does not want the rest either.
    // Whoever reads it is told; where nobody does, the promise tells.
    body.on("error", () => {});
    body.once("close", () => left.abort(new Error("the answer is not wanted any more")));
    let start: Buffer | undefined = Buffer.alloc(0);
    let said = "";
    const onStdout = async (chunk: Uint8Array) => {
      let rest = chunk;
      if (start) {
        start = Buffer.concat([start, chunk]);
        const end = start.indexOf(NEWLINE);
        if (end < 0) return;
        head.resolve({ status: Number(start.subarray(0, end).toString()), headers: {}, body });
        rest = start.subarray(end + 1);
        start = undefined;
      }
      // What is not wanted any more never drains; the command then ends by its signal.
      if (rest.length > 0 && !body.write(rest))
        await once(body, "drain", { signal: left.signal }).catch(() => {});
    };
    const fail = (error: unknown) => {
      // Whoever asked has gone: that says nothing of the session.
      const failure = signal?.aborted
        ? (signal.reason as Error)
        : new HttpFailure(messageOf(error), { code: "ECONNRESET", sent: true, cause: error });
      head.reject(failure);
      if (!left.signal.aborted) body.destroy(failure);
    };
    const signals = [this.#options.signal, this.#stop.signal, left.signal, ...(signal ? [signal] : [])];
    pods
      .exec(pod, {
        command: askCommand(port, path),
        signal: AbortSignal.any(signals),
        onStdout,
        onStderr: (chunk) => {
          said += Buffer.from(chunk).toString("utf8");
        },
      })
      .then(({ exitCode, message }) => {
        if (exitCode === 0 && !start) body.end();
        else fail(new Error(said || message || "the session gave no answer"));
      })
      .catch(fail);
    return head.promise;
  }

  close(): void {
    this.#stop.abort(new Error("the session is closed"));
  }
}

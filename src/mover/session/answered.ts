import { aborted } from "../../lib/aborted.ts";
import type { ServedResponse } from "../../lib/https_server.ts";
import type { Send } from "./listening.ts";

/**
 * The answer that is sent, for a server that wants it returned. Whoever sends it waits until it was read, or until the
 * signal says that nobody will.
 */
export function answered(
  signal: AbortSignal,
  answer: (send: Send) => Promise<void>,
): Promise<ServedResponse> {
  return new Promise((resolve, reject) => {
    answer((response) => {
      const { body } = response;
      if (typeof body === "string" || body instanceof Uint8Array) {
        resolve(response);
        return Promise.resolve();
      }
      const read = Promise.withResolvers<void>();
      resolve({ ...response, body: followed(body, read) });
      void aborted(signal).then(read.resolve);
      return read.promise;
    }).catch(reject);
  });
}

/** The stream, and word of its end: it was read, the reader has gone, or it failed. */
async function* followed(
  body: AsyncIterable<Uint8Array>,
  read: PromiseWithResolvers<void>,
): AsyncIterable<Uint8Array> {
  try {
    yield* body;
  } catch (error) {
    read.reject(error);
    throw error;
  } finally {
    read.resolve();
  }
}

import type { ServedRequest, ServedResponse, ServeRequest } from "../../lib/https_server.ts";

/** What answers in the words of the web platform. */
export type Answer = (request: Request) => Response | Promise<Response>;

/** Serves such answers. `scheme`: how people reach this server. */
export function served(answer: Answer, scheme: "http" | "https"): ServeRequest {
  return async (request) => responseOf(await answer(requestOf(request, scheme)));
}

function requestOf({ method, path, query, headers, body, signal }: ServedRequest, scheme: string): Request {
  const search = query.size > 0 ? `?${query}` : "";
  // What the client calls the host is judged from the header, never from here.
  const url = new URL(`${scheme}://console.invalid`);
  url.pathname = path;
  url.search = search;
  const bare = method === "GET" || method === "HEAD";
  return new Request(url, {
    method,
    headers: { ...headers },
    signal,
    ...(bare ? {} : { body: Buffer.from(body) }),
  });
}

async function responseOf(response: Response): Promise<ServedResponse> {
  const headers = Object.fromEntries(response.headers);
  // The server writes the length itself.
  delete headers["content-length"];
  return { status: response.status, headers, body: response.body ?? "" };
}

/** An answer's body that is made as it is read, and that is told when nobody reads on. */
export function streamOf(chunks: AsyncIterable<Uint8Array | string>): ReadableStream<Uint8Array> {
  const iterator = chunks[Symbol.asyncIterator]();
  return new ReadableStream<Uint8Array>(
    {
      async pull(controller) {
        const next = await iterator.next();
        if (next.done) controller.close();
        else controller.enqueue(typeof next.value === "string" ? Buffer.from(next.value) : next.value);
      },
      async cancel() {
        await iterator.return?.();
      },
    },
    { highWaterMark: 0 },
  );
}

import type { QueryClient } from "@tanstack/react-query";
import type { Changed } from "../../../src/cli/console/contract.ts";
import { apiPath } from "./http.ts";
import { refreshLive } from "./queries.ts";

/** Whether changes come in at once. */
export type Liveness = "connecting" | "live" | "away";

type Told = { readonly type: "changed" } | { readonly type: "state"; readonly state: Liveness };

/** At most one refresh in this time, however much happens. */
const PAUSE = 2_000;
/** After the server refused a stream, which the browser does not repeat by itself. */
const RETRY = 5_000;

/**
 * Follows the changes of a namespace, or of all. One tab of the browser holds the stream and tells the others; when it is
 * closed, the next one takes over. Returns the end of it.
 */
export function followChanges(
  client: QueryClient,
  namespace: string | undefined,
  onState: (state: Liveness) => void,
): () => void {
  const end = new AbortController();
  const name = `holdfast-events:${namespace ?? ""}`;
  const channel = new BroadcastChannel(name);
  const refresh = paced(() => void refreshLive(client), end.signal);
  const hear = (told: Told) => {
    if (told.type === "state") onState(told.state);
    else refresh();
  };
  channel.onmessage = ({ data }: MessageEvent<Told>) => hear(data);
  const tell = (told: Told) => {
    channel.postMessage(told);
    hear(told);
  };
  const lead = () => hold(apiPath("events", { namespace }), tell, end.signal);
  // Without Web Locks, such as over plain HTTP from another machine, every tab has its own stream.
  const led = navigator.locks ? navigator.locks.request(name, { signal: end.signal }, lead) : lead();
  led.catch(() => undefined);
  return () => {
    end.abort();
    channel.close();
  };
}

/** Keeps a stream open until the signal. */
async function hold(address: string, tell: (told: Told) => void, signal: AbortSignal): Promise<void> {
  while (!signal.aborted) {
    await untilRefused(address, tell, signal);
    await new Promise((resolve) => setTimeout(resolve, RETRY));
  }
}

function untilRefused(address: string, tell: (told: Told) => void, signal: AbortSignal): Promise<void> {
  return new Promise((resolve) => {
    const source = new EventSource(address);
    const close = () => {
      source.close();
      resolve();
    };
    signal.addEventListener("abort", close, { once: true });
    const changed = ({ data }: MessageEvent<string>) => {
      if ((JSON.parse(data) as Changed).kinds.length > 0) tell({ type: "changed" });
    };
    source.addEventListener("changed", changed);
    source.addEventListener("message", changed);
    let before = false;
    source.onopen = () => {
      tell({ type: "state", state: "live" });
      // What happened while the stream was away was told to nobody.
      if (before) tell({ type: "changed" });
      before = true;
    };
    source.onerror = () => {
      tell({ type: "state", state: "away" });
      if (source.readyState !== EventSource.CLOSED) return;
      // The server is there and refuses: what the page asks next brings the sign-in, where that has ended.
      tell({ type: "changed" });
      close();
    };
  });
}

/** Calls at once, then at most once in a pause; a page that nobody sees waits until it is looked at. */
function paced(call: () => void, signal: AbortSignal): () => void {
  let due = false;
  let resting = false;
  const run = () => {
    if (!due || resting || document.hidden || signal.aborted) return;
    due = false;
    resting = true;
    call();
    setTimeout(() => {
      resting = false;
      run();
    }, PAUSE);
  };
  document.addEventListener("visibilitychange", run, { signal });
  return () => {
    due = true;
    run();
  };
}

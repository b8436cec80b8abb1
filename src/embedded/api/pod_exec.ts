import type { ObjectName } from "../../kube/object.ts";
import type { Clock } from "../../lib/clock.ts";
import type { ServedRequest, TakenSocket } from "../../lib/https_server.ts";
import type { Store } from "../store/store.ts";
import { type ExecEnd, serveExec } from "./exec_channels.ts";
import { badRequest, notFound } from "./refusal.ts";
import { boolean } from "./request_options.ts";
import { keyOf, type Place } from "./target.ts";

export interface PodExecRequest {
  readonly container?: string;
  readonly command: readonly string[];
}

/** A command that runs in a container. Both outputs must be read. */
export interface PodCommand {
  readonly stdout: AsyncIterable<Uint8Array>;
  readonly stderr: AsyncIterable<Uint8Array>;
  readonly ended: Promise<ExecEnd>;
}

/** Starts the command, with what it is to read. */
export type StartCommand = (stdin: AsyncIterable<Uint8Array> | undefined) => Promise<PodCommand>;

/** Runs commands in the node's containers. */
export interface PodExec {
  /** Finds the container. Throws ApiError for one in which no command can be run. */
  open(pod: ObjectName, request: PodExecRequest, signal: AbortSignal): Promise<StartCommand>;
}

/** The protocols of `kubectl exec` that are spoken here, the newest first. */
const PROTOCOLS = ["v5.channel.k8s.io", "v4.channel.k8s.io"];

/** Takes a connection over whose client wants to run a command in a pod. */
export async function podExecSocket(
  place: Place,
  { query, signal }: Pick<ServedRequest, "query" | "signal">,
  protocols: readonly string[],
  { store, podExec, clock }: { readonly store: Store; readonly podExec?: PodExec; readonly clock: Clock },
): Promise<TakenSocket> {
  if (!store.get(keyOf(place))) throw notFound(place.kind.resource, place.name);
  if (!podExec) throw badRequest("this control plane has no node, and its pods run no commands");
  const { namespace, name } = place;
  const command = query.getAll("command");
  const container = query.get("container") || undefined;
  const [stdin, stdout, stderr, tty] = ["stdin", "stdout", "stderr", "tty"].map(
    (stream) => boolean(query, stream) ?? false,
  );
  if (command.length === 0) throw badRequest("you must specify the command to run");
  if (!stdin && !stdout && !stderr) throw badRequest("you must specify at least 1 of stdin, stdout, stderr");
  if (tty) throw badRequest("the pods of an embedded control plane have no terminals; leave out --tty (-t)");
  const protocol = PROTOCOLS.find((one) => protocols.includes(one));
  if (!protocol) {
    throw badRequest(`an embedded control plane speaks ${PROTOCOLS.join(" and ")} here; use a newer client`);
  }
  const request = { command, ...(container ? { container } : {}) };
  const start = await podExec.open({ namespace, name }, request, signal);
  const streams = { stdin: stdin === true, stdout: stdout === true, stderr: stderr === true };
  return { protocol, serve: (connection) => serveExec(connection, streams, start, clock) };
}

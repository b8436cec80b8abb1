import type { IncomingMessage } from "node:http";
import type { Duplex } from "node:stream";
import { WebSocketServer } from "ws";
import type { WebSocketConnection } from "./http.ts";
import { connectionOf } from "./websocket.ts";

export interface UpgradeRequest {
  readonly request: IncomingMessage;
  readonly socket: Duplex;
  /** What the client sent beyond its request already. */
  readonly head: Buffer;
  /** One of those that the client offered. */
  readonly protocol: string;
  readonly signal: AbortSignal;
}

/** Longest message that a client may send, in bytes. */
const LARGEST_MESSAGE = 16 * 2 ** 20;

/** Makes a WebSocket of a connection that asks to be one. A client that asks wrongly is refused, and nothing follows. */
export function acceptWebSocket(
  { request, socket, head, protocol, signal }: UpgradeRequest,
  accepted: (connection: WebSocketConnection) => void,
): void {
  const server = new WebSocketServer({
    noServer: true,
    clientTracking: false,
    perMessageDeflate: false,
    maxPayload: LARGEST_MESSAGE,
    handleProtocols: () => protocol,
  });
  server.handleUpgrade(request, socket, head, (client) => accepted(connectionOf(client, signal)));
}

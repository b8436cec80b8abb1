import type { ServedRequest, ServedResponse } from "../../lib/https_server.ts";
import type { SessionKeys } from "./keys.ts";

/** Where a session listens, to clients whose certificate its authority signed. */
export interface ListenAt extends SessionKeys {
  readonly port: number;
}

export type Request = Pick<ServedRequest, "method" | "path" | "query" | "signal">;

/** Resolves when all of it is on its way, or the client has gone; rejects when a stream fails, which cuts it off. */
export type Send = (response: ServedResponse) => Promise<void>;

/** Listening as a port. Every request is handed over with the way to answer it. */
export type Listen = (
  at: ListenAt,
  onRequest: (request: Request, send: Send) => Promise<void>,
) => Promise<Listening>;

export interface Listening {
  /** Cuts off whoever is still connected. */
  close(): Promise<void>;
}

import { closeSync, constants, openSync } from "node:fs";
import { Socket } from "node:net";

/** The reading end of a named pipe. */
export interface FifoReader {
  /** Resolves when the last writer has closed the pipe and everything is read, or after close(). */
  readonly ended: Promise<void>;
  /** What has not been handed over yet stays in the pipe, as long as somebody has it open. */
  close(): void;
}

/**
 * Hands over what comes out of a named pipe. Whoever writes to it must have it open by then or open it later: the
 * end of a writer that was gone before goes unnoticed.
 */
export function readFifo(path: string, onData: (chunk: Uint8Array) => void): FifoReader {
  const fd = openSync(path, constants.O_RDONLY | constants.O_NONBLOCK);
  const socket = new Socket({ fd, readable: true, writable: false });
  const ended = new Promise<void>((resolve) => socket.once("close", () => resolve()));
  // A pipe that cannot be read any more has ended, whatever the reason.
  socket.on("error", () => socket.destroy());
  socket.on("data", onData);
  return { ended, close: () => socket.destroy() };
}

/**
 * Keeps a named pipe open on both ends, so that neither a reader nor a writer waits for its other end. Writes
 * to the descriptor wait while the pipe is full: whoever inherits it expects that.
 */
export function holdFifo(path: string): { readonly fd: number; close(): void } {
  const fd = openSync(path, constants.O_RDWR);
  return { fd, close: () => closeSync(fd) };
}

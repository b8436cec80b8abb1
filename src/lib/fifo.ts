import { closeSync, constants, openSync } from "node:fs";
import { Socket } from "node:net";

/** The reading end of a named pipe. */
export interface FifoReader {
  /** Ends when the last writer has closed it, or after close(). */
  readonly data: AsyncIterable<Uint8Array>;
  close(): void;
}

/**
 * Opens a named pipe for reading. Whoever writes to it must have it open by then or open it later: the end of
 * a writer that was gone before goes unnoticed.
 */
export function readFifo(path: string): FifoReader {
  const fd = openSync(path, constants.O_RDONLY | constants.O_NONBLOCK);
  const socket = new Socket({ fd, readable: true, writable: false });
  return { data: chunks(socket), close: () => socket.destroy() };
}

/**
 * Keeps a named pipe open on both ends, so that neither a reader nor a writer waits for its other end. Writes
 * to the descriptor wait while the pipe is full: whoever inherits it expects that.
 */
export function holdFifo(path: string): { readonly fd: number; close(): void } {
  const fd = openSync(path, constants.O_RDWR);
  return { fd, close: () => closeSync(fd) };
}

async function* chunks(socket: Socket): AsyncIterable<Uint8Array> {
  try {
    for await (const chunk of socket) yield chunk;
  } catch (error) {
    if (!socket.destroyed) throw error;
  }
}

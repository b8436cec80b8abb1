/**
 * Calls back once everything that is ready now (sockets, settled promises) has had its turn: what asks for the
 * same expensive step within one turn can share it.
 */
export function nextTurn(callback: () => void): void {
  setImmediate(callback);
}

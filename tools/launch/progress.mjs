import { Interrupted } from "./errors.mjs";

/** How often a step tells a log that it is still alive. */
const HEARTBEAT_MS = 30_000;

/**
 * @typedef {object} Progress
 * @property {(line: string) => void} say shows a line
 * @property {<T>(label: string, work: () => Promise<T>) => Promise<T>} step shows that work goes on, and how long it took
 */

/**
 * @typedef {object} Screen what progress is drawn on, and the time it is drawn by
 * @property {{ write(text: string): unknown }} out
 * @property {boolean} live whether a line can be drawn again
 * @property {() => number} now milliseconds that never go back
 * @property {(ms: number, callback: () => void) => () => void} every calls back again and again; returns the end of it
 */

/** Standard error, so that the standard output of a command stays its own. @type {Screen} */
const terminal = {
  out: process.stderr,
  live: process.stderr.isTTY === true,
  now: () => performance.now(),
  every(ms, callback) {
    const timer = setInterval(callback, ms);
    return () => clearInterval(timer);
  },
};

/**
 * One line per step with its seconds: counting on a terminal, otherwise written when the step ends, with a
 * sign of life every 30 seconds before.
 * @param {Screen} [screen]
 * @returns {Progress}
 */
export function createProgress(screen = terminal) {
  const { out, live, now, every } = screen;
  const redraw = live ? "\r\x1b[K" : "";
  return {
    say: (line) => out.write(`${redraw}${line}\n`),
    async step(label, work) {
      const begun = now();
      const seconds = () => `${Math.round((now() - begun) / 1000)} s`;
      const show = () =>
        out.write(live ? `${redraw}${label} … ${seconds()}` : `${label} … ${seconds()} so far\n`);
      if (live) show();
      const stop = every(live ? 1000 : HEARTBEAT_MS, show);
      let outcome = "";
      try {
        return await work();
      } catch (error) {
        outcome = error instanceof Interrupted ? "interrupted after " : "failed after ";
        throw error;
      } finally {
        stop();
        out.write(`${redraw}${label} … ${outcome}${seconds()}\n`);
      }
    },
  };
}

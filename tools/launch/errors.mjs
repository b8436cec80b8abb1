/** The command cannot go on; the message says what is missing, why, and what to do. */
export class LaunchError extends Error {
  /** @override */
  name = "LaunchError";
}

/** The user, or the machine, asked the launcher to stop. */
export class Interrupted extends Error {
  /** @override */
  name = "Interrupted";

  /** @param {NodeJS.Signals} signal */
  constructor(signal) {
    super(`interrupted by ${signal}`);
    /** @readonly */
    this.signal = signal;
  }
}

/**
 * The code of a system error ("ENOENT"), or undefined for any other thrown value.
 * @param {unknown} error
 * @returns {string | undefined}
 */
export function errorCode(error) {
  if (!(error instanceof Error) || !("code" in error)) return undefined;
  return typeof error.code === "string" ? error.code : undefined;
}

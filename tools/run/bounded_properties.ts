import fc from "fast-check";

/**
 * A property that fails is made shorter for no longer than this, in milliseconds, and then told as it is. In the full
 * matrix it may take its time.
 */
const LIMIT = 300_000;

if (!process.env.HOLDFAST_LONG)
  fc.configureGlobal({ interruptAfterTimeLimit: LIMIT, markInterruptAsFailure: true });

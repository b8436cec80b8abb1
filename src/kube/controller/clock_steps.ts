import { aborted } from "../../lib/aborted.ts";
import type { Clock } from "../../lib/clock.ts";
import type { Runnable } from "../runnable.ts";

export interface ClockStepsOptions {
  readonly name: string;
  readonly clock: Clock;
  /** The wall clock was set: whoever sleeps until a time of day has to reckon anew. */
  readonly onStep: () => void;
  /** How often to look, in milliseconds. Default 5,000. */
  readonly every?: number;
  /** Smaller differences are let pass, until they add up, in milliseconds. Default 250. */
  readonly tolerance?: number;
}

/** Notices that the wall clock was set, in either direction: timers, which go by another clock, do not. */
export function clockSteps(options: ClockStepsOptions): Runnable {
  const { name, clock, onStep, every = 5_000, tolerance = 250 } = options;
  return {
    name,
    async run(signal, ready) {
      const offset = () => clock.now() - clock.monotonic();
      let known = offset();
      const look = () => {
        const present = offset();
        if (Math.abs(present - known) > tolerance) {
          known = present;
          onStep();
        }
        cancel = clock.after(every, look);
      };
      let cancel = clock.after(every, look);
      ready();
      await aborted(signal);
      cancel();
    },
  };
}

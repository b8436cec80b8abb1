import type { World } from "../../tools/monitoring/testing/exposition.ts";

/** What the operator sees for some minutes; nothing, where there is no operator. */
export interface Stretch {
  readonly minutes: number;
  readonly world: World | undefined;
}

/** A story in which an alert fires, and ends. Its clock begins with 1970. */
export interface AlertCase {
  readonly alert: string;
  readonly story: string;
  readonly stretches: readonly Stretch[];
  /** Minutes at which it does not fire, although what it is about has begun. */
  readonly notYet: number;
  /** Minutes at which it fires, with these labels and this summary. */
  readonly fires: number;
  readonly labels: Readonly<Record<string, string>>;
  readonly summary: string;
  /** Minutes at which it has ended. */
  readonly ended: number;
}

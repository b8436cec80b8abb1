import { describe } from "vitest";
import { embeddedCan, embeddedWorld } from "../scenarios/embedded_world.ts";
import { queue } from "../scenarios/queue.ts";

describe.runIf(embeddedCan)("in the embedded world", () => {
  queue(embeddedWorld);
});

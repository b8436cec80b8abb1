import { describe } from "vitest";
import { embeddedCan, embeddedWorld } from "../scenarios/embedded_world.ts";
import { schedules } from "../scenarios/schedules.ts";

describe.runIf(embeddedCan)("in the embedded world", () => {
  schedules(embeddedWorld);
});

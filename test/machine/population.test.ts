import { describe } from "vitest";
import { embeddedCan, embeddedWorld } from "../scenarios/embedded_world.ts";
import { population } from "../scenarios/population.ts";

describe.runIf(embeddedCan)("in the embedded world", () => {
  population(embeddedWorld);
});

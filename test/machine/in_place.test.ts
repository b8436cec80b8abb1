import { describe } from "vitest";
import { embeddedCan, embeddedWorld } from "../scenarios/embedded_world.ts";
import { inPlace } from "../scenarios/in_place.ts";

describe.runIf(embeddedCan)("in the embedded world", () => {
  inPlace(embeddedWorld);
});

import { describe } from "vitest";
import { embeddedCan, embeddedWorld } from "../scenarios/embedded_world.ts";
import { maintenance } from "../scenarios/maintenance.ts";

describe.runIf(embeddedCan)("in the embedded world", () => {
  maintenance(embeddedWorld);
});

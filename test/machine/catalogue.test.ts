import { describe } from "vitest";
import { catalogue } from "../scenarios/catalogue.ts";
import { embeddedCan, embeddedWorld } from "../scenarios/embedded_world.ts";

describe.runIf(embeddedCan)("in the embedded world", () => {
  catalogue(embeddedWorld);
});

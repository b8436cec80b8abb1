import { describe } from "vitest";
import { autorestores } from "../scenarios/autorestore.ts";
import { embeddedCan, embeddedWorld } from "../scenarios/embedded_world.ts";

describe.runIf(embeddedCan)("in the embedded world", () => {
  autorestores(embeddedWorld);
});

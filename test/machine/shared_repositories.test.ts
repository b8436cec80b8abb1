import { describe } from "vitest";
import { embeddedCan, embeddedWorld } from "../scenarios/embedded_world.ts";
import { sharedRepositories } from "../scenarios/shared_repositories.ts";

describe.runIf(embeddedCan)("in the embedded world", () => {
  sharedRepositories(embeddedWorld);
});

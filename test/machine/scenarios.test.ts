import { describe } from "vitest";
import { backupAndRestore } from "../scenarios/backup_and_restore.ts";
import { embeddedCan, embeddedWorld } from "../scenarios/embedded_world.ts";

describe.runIf(embeddedCan)("in the embedded world", () => {
  backupAndRestore(embeddedWorld);
});

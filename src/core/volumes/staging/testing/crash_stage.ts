import { afterAll, beforeAll } from "vitest";
import type { HttpClient } from "../../../../kube/client/http_client.ts";
import { type Death, MortalSender } from "./mortal_sender.ts";
import { Stage } from "./stage.ts";

/** A stage for the tests around this call, and clients that die on it. */
export interface CrashStage {
  readonly stage: Stage;
  /** A client whose process is killed at one of its writes. */
  mortal(death: Death): HttpClient;
}

/** Opens the stage before the tests around this call, and closes it after them. */
export function crashStage(): CrashStage {
  let opened: Stage | undefined;
  const stage = () => {
    if (!opened) throw new Error("the stage is open only while tests run");
    return opened;
  };

  beforeAll(async () => {
    opened = await Stage.open();
  }, 60_000);

  afterAll(() => opened?.[Symbol.asyncDispose]());

  return {
    get stage() {
      return stage();
    },
    mortal: (death) => stage().clientOver(new MortalSender(stage().sender, death)),
  };
}

/** Before and after each of so many writes. */
export function deathsAt(writes: number): readonly Death[] {
  return Array.from({ length: writes }, (_, index) => [
    { at: index + 1, carriedOut: false },
    { at: index + 1, carriedOut: true },
  ]).flat();
}

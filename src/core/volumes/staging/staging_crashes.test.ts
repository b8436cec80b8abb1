import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { embeddedHasNode } from "../../../../test/conformance/world/embedded_ground.ts";
import { ConfigMaps } from "../../../kube/builtin.ts";
import type { HttpClient } from "../../../kube/client/http_client.ts";
import type { GroupRequest } from "./staging_request.ts";
import { type Death, MortalSender, wasKilled } from "./testing/mortal_sender.ts";
import { eventually, inTurns, namespace, Stage, WAYS } from "./testing/stage.ts";

/** Before and after each write; more than there are, so that the last of them are not reached. */
const DEATHS: readonly Death[] = Array.from({ length: 14 }, (_, index) => [
  { at: index + 1, carriedOut: false },
  { at: index + 1, carriedOut: true },
]).flat();

describe.skipIf(!embeddedHasNode)("an operator that dies while it stages", { timeout: 120_000 }, () => {
  let stage: Stage;

  beforeAll(async () => {
    stage = await Stage.open();
  }, 60_000);

  afterAll(() => stage[Symbol.asyncDispose]());

  const mortal = (death: Death) => stage.clientOver(new MortalSender(stage.sender, death));

  test.each(WAYS)("finishes %s after its restart, whatever call it died at", async (_, method, changes) => {
    const throughout = async (request: GroupRequest, by: HttpClient) => {
      await stage.ready(request, by);
      await stage.cleaned(request, by);
    };
    const died = await inTurns(DEATHS, async (death) => {
      const request = await stage.scene(method, changes);
      const killed = await wasKilled(throughout(request, mortal(death)));
      if (killed) await throughout(request, stage.client);
      await stage.nothingRemains(request);
      return killed;
    });
    expect(died.slice(0, 4)).toEqual([true, true, true, true]);
    expect(died.slice(-2)).toEqual([false, false]);
  });

  test.each(WAYS)("leaves nothing of %s when its owner is deleted meanwhile", async (_, method, changes) => {
    const requests = await inTurns(DEATHS, async (death) => {
      const request = await stage.scene(method, changes);
      await wasKilled(stage.ready(request, mortal(death)));
      await stage.client.delete(ConfigMaps, { namespace, name: request.owner.reference.name });
      return request;
    });
    await eventually("the end of what they left", () => stage.sweep(requests));
    await inTurns(requests, (request) => stage.nothingRemains(request));
  });
});

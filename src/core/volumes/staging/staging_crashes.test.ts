import { describe, expect, test } from "vitest";
import { embeddedHasNode } from "../../../../test/conformance/world/embedded_ground.ts";
import { ConfigMaps } from "../../../kube/builtin.ts";
import type { HttpClient } from "../../../kube/client/http_client.ts";
import type { GroupRequest } from "./staging_request.ts";
import { crashStage, deathsAt } from "./testing/crash_stage.ts";
import { wasKilled } from "./testing/mortal_sender.ts";
import { eventually, inTurns, namespace, WAYS } from "./testing/stage.ts";

/** More than there are, so that the last of them are not reached. */
const DEATHS = deathsAt(14);

describe.skipIf(!embeddedHasNode)("an operator that dies while it stages", { timeout: 120_000 }, () => {
  const crashes = crashStage();

  test.each(WAYS)("finishes %s after its restart, whatever call it died at", async (_, method, changes) => {
    const throughout = async (request: GroupRequest, by: HttpClient) => {
      await crashes.stage.ready(request, by);
      await crashes.stage.cleaned(request, by);
    };
    const died = await inTurns(DEATHS, async (death) => {
      const request = await crashes.stage.scene(method, changes);
      const killed = await wasKilled(throughout(request, crashes.mortal(death)));
      if (killed) await throughout(request, crashes.stage.client);
      await crashes.stage.nothingRemains(request);
      return killed;
    });
    expect(died.slice(0, 4)).toEqual([true, true, true, true]);
    expect(died.slice(-2)).toEqual([false, false]);
  });

  test.each(WAYS)("leaves nothing of %s when its owner is deleted meanwhile", async (_, method, changes) => {
    const requests = await inTurns(DEATHS, async (death) => {
      const request = await crashes.stage.scene(method, changes);
      await wasKilled(crashes.stage.ready(request, crashes.mortal(death)));
      await crashes.stage.client.delete(ConfigMaps, { namespace, name: request.owner.reference.name });
      return request;
    });
    await eventually("the end of what they left", () => crashes.stage.sweep(requests));
    await inTurns(requests, (request) => crashes.stage.nothingRemains(request));
  });
});

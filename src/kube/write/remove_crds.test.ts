import { expect, test } from "vitest";
import { VirtualClock } from "../../lib/virtual_clock.ts";
import type { Client } from "../client.ts";
import { RecordingClient } from "../testing/recording_client.ts";
import { removeCrds } from "./remove_crds.ts";

test("removeCrds() says of a CRD that does not go what may be the reason, and that it goes by itself", async () => {
  const clock = new VirtualClock();
  const client = new RecordingClient(() => ({ metadata: { name: "a" } })) as unknown as Client;
  const removing = removeCrds({ client, clock, going: [{ name: "a" }, { name: "b" }] });
  const told = expect(removing).rejects.toThrow(
    "a is still there after 120 s, as are some of its objects. It goes by itself with the last of them: where there are many that takes longer, and one that has a finalizer of somebody else stays until that is taken off",
  );
  await clock.advance(121_000);
  await told;
});

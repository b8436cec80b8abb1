import { expect, test } from "vitest";
import { kopiur } from "../apis/kopiur/api.ts";
import { ApiError } from "../kube/api_error.ts";
import type { Client } from "../kube/client.ts";
import { type RecordedCall, RecordingClient } from "../kube/testing/recording_client.ts";
import { VirtualClock } from "../lib/virtual_clock.ts";
import { silentLogger as log } from "../observe/log.ts";
import { cleanUpApi } from "./clean_up_api.ts";

const HOME = "backups";
const missing = new ApiError({
  request: "get",
  code: 404,
  status: { reason: "NotFound", message: "not found" },
});

/** The first configurations that go, where those of this name are left and lead to a Service of this namespace. */
async function firstRemoved(
  left: string,
  { served, namespace, leadsTo = HOME }: { served: boolean; namespace?: string; leadsTo?: string },
) {
  const answer = ({ verb, name }: RecordedCall) => {
    if (verb !== "get") return true;
    if (name?.name !== left) throw missing;
    const clientConfig = { service: { namespace: leadsTo, name: "holdfast-webhook" } };
    return { metadata: { name: left, uid: "1" }, webhooks: [{ name: "a", clientConfig }] };
  };
  // Of kinds that nobody serves there is nothing to let go of.
  const client = Object.assign(new RecordingClient(answer), { serves: async () => false });
  await cleanUpApi(kopiur, {
    client: client as unknown as Client,
    clock: new VirtualClock(),
    log,
    served: served ? [kopiur] : [],
    operatorNamespace: HOME,
    namespace,
  });
  return client.calls
    .filter(({ verb }) => verb === "delete")
    .slice(0, 2)
    .map(({ name }) => name?.name);
}

test.each([
  [true, undefined, `holdfast-kopiur-${HOME}`],
  [false, undefined, `holdfast-kopiur-${HOME}`],
  [true, HOME, "holdfast-kopiur"],
  [false, HOME, "holdfast-kopiur"],
])(
  "webhooks of the scope that the operator had before go first, as they would refuse the rest: served %s, namespace %s",
  async (served, namespace, left) => {
    const removed = await firstRemoved(left, { served, ...(namespace ? { namespace } : {}) });
    expect(removed).toEqual([left, left]);
  },
);

test("webhooks of another operator, which looks after the whole cluster, stay", async () => {
  const options = { served: true, namespace: HOME, leadsTo: "elsewhere" };
  const own = `holdfast-kopiur-${HOME}`;
  expect(await firstRemoved("holdfast-kopiur", options)).toEqual([own, own]);
});

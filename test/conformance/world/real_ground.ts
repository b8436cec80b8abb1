import { connect } from "../../../src/kube/config/connect.ts";
import { systemClock } from "../../../src/lib/clock.ts";
import { systemProcesses } from "../../../src/lib/processes.ts";
import { testKubeconfig } from "../../cluster/world.ts";
import { facingAddress } from "./facing_address.ts";
import type { Ground } from "./world.ts";

/** The cluster of the kubeconfig in HOLDFAST_TEST_KUBECONFIG. */
export async function realGround(): Promise<{ readonly ground: Ground } & AsyncDisposable> {
  const { sender, server } = await connect({
    clock: systemClock,
    processes: systemProcesses,
    env: process.env,
    kubeconfig: testKubeconfig(),
  });
  return {
    ground: {
      sender,
      ...(process.env.HOLDFAST_TEST_NODELESS ? {} : { image: "docker.io/holdfast/busybox:1" }),
      host: process.env.HOLDFAST_TEST_HOST_ADDRESS ?? facingAddress(server),
    },
    async [Symbol.asyncDispose]() {
      sender.close();
    },
  };
}

import { PersistentVolumeClaims, PersistentVolumes } from "../../src/kube/builtin.ts";
import type { Client } from "../../src/kube/client.ts";
import { sleep, systemClock } from "../../src/lib/clock.ts";
import type { ClaimName } from "./world.ts";

/** What the storage driver calls the volume of a claim, once it has one: its folder has the same name. */
export async function volumeHandle(client: Client, claim: ClaimName): Promise<string> {
  for (;;) {
    const { spec } = await client.get(PersistentVolumeClaims, claim);
    const name = spec?.volumeName;
    const volume = name ? await client.get(PersistentVolumes, { name }) : undefined;
    const handle = volume?.spec?.csi?.volumeHandle;
    if (handle) return handle;
    await sleep(systemClock, 20);
  }
}

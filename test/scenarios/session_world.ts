import type { TreeEntry } from "../../src/engines/testing/tree.ts";
import type { PodClient } from "../../src/kube/client/pod_client.ts";
import type { Client } from "../../src/kube/client.ts";
import type { ClaimName } from "./world.ts";

/** A cluster without an operator, and a namespace in it. */
export interface SessionWorld extends AsyncDisposable {
  readonly client: Client;
  readonly logs: Pick<PodClient, "logs" | "exec">;
  readonly namespace: string;
  readonly moverImage: string;
  /** Makes a tree on the volume of a claim. */
  put(claim: ClaimName, entries: readonly TreeEntry[]): Promise<void>;
}

export type OpenSessionWorld = () => Promise<SessionWorld>;

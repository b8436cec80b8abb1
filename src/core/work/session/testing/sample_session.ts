import { sampleOwner } from "../../testing/samples.ts";
import type { SessionRequest } from "../session_request.ts";

/** Questions about a repository of this name. */
export function sampleSession(name: string): SessionRequest {
  return {
    owner: { ...sampleOwner, name, uid: `uid-${name}` },
    namespace: "shop",
    engine: "kopia",
    repository: { backend: { filesystem: { path: "/holdfast/repository" } } },
    secrets: { password: { secret: "repository", key: "password" } },
    repositoryVolume: { claim: "backups" },
    mover: { image: "mover:1" },
  };
}

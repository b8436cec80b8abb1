import type { NodeInfo } from "./info.ts";
import { pinnedProgram } from "./programs.ts";
import { run } from "./run.ts";

/** Brings image archives into a node's containerd, where pods find them. */
export async function loadImages(node: NodeInfo, archives: readonly string[]): Promise<void> {
  await Promise.all(
    archives.map((archive) =>
      run(pinnedProgram("ctr"), [
        "--address",
        node.containerd,
        "--namespace",
        "k8s.io",
        "images",
        "import",
        archive,
      ]),
    ),
  );
}

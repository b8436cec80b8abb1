import { mkdirSync, mkdtempSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { packImage } from "../cluster/image.ts";
import { pinnedProgram } from "../cluster/programs.ts";
import { bundle } from "../run/bundle.ts";
import { addFile, addProgram, makeRootfs, NONROOT } from "./rootfs.ts";

/** rclone is what both engines reach an rclone remote with. */
const ENGINES = ["kopia", "restic", "holdfast-fidelity", "rclone"];

/** The images that are shipped, and the pinned programs in each beside Node. */
export const IMAGES = {
  mover: { programs: ENGINES },
  operator: { programs: [] },
} as const satisfies Record<string, { readonly programs: readonly string[] }>;

export type ImageName = keyof typeof IMAGES;

/** The name that pods give an image: the project's version is its tag. */
export function imageTag(name: ImageName): string {
  return `holdfast/${name}:${version()}`;
}

/**
 * Assembles an image out of this machine's files, with the content that the Dockerfile of its name gives it, and
 * packs it as an archive. No image registry is needed.
 */
export async function buildImage(name: ImageName, out: string): Promise<void> {
  const work = mkdtempSync(join(tmpdir(), "holdfast-image-"));
  try {
    const rootfs = join(work, "rootfs");
    mkdirSync(rootfs);
    await makeRootfs(rootfs);
    for (const program of IMAGES[name].programs) await addProgram(rootfs, pinnedProgram(program), program);
    const entry = fileURLToPath(new URL(`../../src/main/${name}.ts`, import.meta.url));
    const program = `/usr/local/lib/holdfast/${name}.mjs`;
    addFile(rootfs, (await bundle(entry, work, name)).path, program);
    const entrypoint = ["/usr/local/bin/node", program];
    await packImage({ name: imageTag(name), rootfs, entrypoint, user: NONROOT, out });
  } finally {
    rmSync(work, { recursive: true, force: true });
  }
}

function version(): string {
  const text = readFileSync(new URL("../../package.json", import.meta.url), "utf8");
  return (JSON.parse(text) as { version: string }).version;
}

import { createHash } from "node:crypto";
import { createReadStream, mkdirSync, mkdtempSync, renameSync, rmSync, writeFileSync } from "node:fs";
import { basename, dirname, join } from "node:path";
import { pipeline } from "node:stream/promises";
import { sha256 } from "../../src/lib/hash.ts";
import { run } from "./run.ts";

export interface ImageOptions {
  /** As in `holdfast/busybox:1`: pods name it the same way. */
  readonly name: string;
  /** The folder that becomes the image's root. */
  readonly rootfs: string;
  readonly entrypoint: readonly string[];
  /** Beside a PATH of the usual folders. */
  readonly env?: Readonly<Record<string, string>>;
  /** Default: root. */
  readonly user?: string;
  /** As images name it. Default: this machine's. */
  readonly architecture?: string;
  /** The archive to write; `load` takes it, and so does `docker load`. */
  readonly out: string;
}

const PATH = "/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin";

/** What makes an archive of the same folder the same, byte for byte. Files belong to root. */
const REPRODUCIBLE = [
  "--sort=name",
  "--mtime=@0",
  "--owner=0",
  "--group=0",
  "--numeric-owner",
  "--format=gnu",
];

/** Packs a folder as an image of one layer. */
export async function packImage(options: ImageOptions): Promise<void> {
  mkdirSync(dirname(options.out), { recursive: true });
  const work = mkdtempSync(join(dirname(options.out), ".image-"));
  try {
    const layer = join(work, "layer.tar");
    await run("tar", ["--create", "--file", layer, "--directory", options.rootfs, ...REPRODUCIBLE, "."]);
    const config = imageConfig(options, await sha256OfFile(layer));
    const configName = `${sha256(config)}.json`;
    writeFileSync(join(work, configName), config);
    const manifest = [{ Config: configName, RepoTags: [options.name], Layers: [basename(layer)] }];
    writeFileSync(join(work, "manifest.json"), JSON.stringify(manifest));
    const parts = ["manifest.json", configName, basename(layer)];
    await run("tar", [
      "--create",
      "--file",
      join(work, "image.tar"),
      "--directory",
      work,
      ...REPRODUCIBLE,
      ...parts,
    ]);
    renameSync(join(work, "image.tar"), options.out);
  } finally {
    rmSync(work, { recursive: true, force: true });
  }
}

const ARCHITECTURE = process.arch === "x64" ? "amd64" : process.arch;

function imageConfig(options: ImageOptions, layer: string): string {
  const { entrypoint, env, user, architecture = ARCHITECTURE } = options;
  return JSON.stringify({
    architecture,
    os: "linux",
    config: {
      Entrypoint: entrypoint,
      Env: Object.entries({ PATH, ...env }).map(([name, value]) => `${name}=${value}`),
      ...(user === undefined ? {} : { User: user }),
    },
    rootfs: { type: "layers", diff_ids: [`sha256:${layer}`] },
    // Who builds on it counts its layers here.
    history: [{ created: "1970-01-01T00:00:00Z", created_by: "holdfast" }],
  });
}

async function sha256OfFile(path: string): Promise<string> {
  const hash = createHash("sha256");
  await pipeline(createReadStream(path), hash);
  return hash.digest("hex");
}

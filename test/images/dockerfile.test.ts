import { execFileSync } from "node:child_process";
import {
  closeSync,
  mkdirSync,
  mkdtempSync,
  openSync,
  readdirSync,
  readFileSync,
  readSync,
  rmSync,
  writeFileSync,
} from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { run } from "../../tools/cluster/run.ts";
import { entrypointOf, IMAGES, type ImageName } from "../../tools/images/images.ts";
import { NONROOT } from "../../tools/images/rootfs.ts";
import { bundle } from "../../tools/run/bundle.ts";
import { type Architecture, addBaseImages } from "./base_images.ts";
import { Buildah } from "./buildah.ts";
import { Registry } from "./registry.ts";

const DOCKERFILE = "images/Dockerfile";
const ARCHITECTURES: readonly Architecture[] = ["amd64", "arm64"];
const NAMES = Object.keys(IMAGES) as ImageName[];
/** The number by which an executable says what it runs on. */
const ELF_MACHINE = { amd64: 0x3e, arm64: 0xb7 };
/** What each program says of itself, and how it is asked. */
const VERSIONS: readonly (readonly [command: readonly string[], says: string])[] = [
  [["kopia", "--version"], "0.23.1"],
  [["restic", "version"], "restic 0.19.1"],
  [["rclone", "version"], "rclone v1.75.1"],
];

const work = mkdtempSync(join(tmpdir(), "holdfast-dockerfile-"));
const registries = join(work, "registries.conf");
const buildah = new Buildah(work, registries);
const registry = await Registry.open(join(work, "registry"));

beforeAll(async () => {
  registry.writeConfiguration(registries, ["docker.io", "gcr.io"]);
  mkdirSync(join(work, "bases"));
  await addBaseImages(registry, readFileSync(DOCKERFILE, "utf8"), join(work, "bases"));
}, 1_200_000);

afterAll(async () => {
  try {
    await buildah.end();
  } finally {
    await registry[Symbol.asyncDispose]();
    rmSync(work, { recursive: true, force: true });
  }
}, 300_000);

/** Builds an image as a release does, with what Go has compiled or fetched on this machine before. */
async function build(name: ImageName, architecture: Architecture): Promise<string> {
  const tag = `localhost/${name}:${architecture}`;
  const file = join(work, `Dockerfile.${architecture}`);
  writeFileSync(file, withPlatforms(readFileSync(DOCKERFILE, "utf8"), `linux/${architecture}`));
  const caches = (await run("go", ["env", "GOMODCACHE", "GOCACHE"])).trim().split("\n");
  const kept = ["/root/go/pkg/mod", "/root/.cache/go-build"].map((at, i) => `--volume=${caches[i]}:${at}`);
  const how = ["--isolation=chroot", "--layers", `--platform=linux/${architecture}`, ...kept];
  await buildah.run("build", ...how, `--file=${file}`, `--target=${name}`, `--tag=${tag}`, ".");
  return tag;
}

/** The Dockerfile with the platform of every stage: Debian's buildah takes one stage's for that of those behind it. */
function withPlatforms(dockerfile: string, target: string): string {
  return dockerfile
    .replaceAll(/^FROM (?=[^-\s]\S*:)/gm, `FROM --platform=${target} `)
    .replaceAll("$BUILDPLATFORM", "linux/amd64");
}

/** Runs a program of an image's files: as it is, or on an emulated processor. */
function ran(root: string, architecture: Architecture, command: readonly string[]): string {
  const [program = "", ...args] = command;
  const path = `/usr/local/bin/${program}`;
  return architecture === "amd64"
    ? execFileSync("chroot", [root, path, ...args], { encoding: "utf8" })
    : execFileSync("qemu-aarch64-static", ["-L", root, join(root, path), ...args], { encoding: "utf8" });
}

function machineOf(program: string): number {
  const file = openSync(program, "r");
  const header = Buffer.alloc(20);
  readSync(file, header);
  closeSync(file);
  return header.readUInt16LE(18);
}

describe.each(ARCHITECTURES)("for %s", (architecture) => {
  test.each(NAMES)(
    "the Dockerfile makes the %s that `npm run images` makes",
    async (name) => {
      const image = await build(name, architecture);
      const { OCIv1: about } = JSON.parse(await buildah.run("inspect", "--type=image", image));
      expect(about.architecture).toBe(architecture);
      expect(about.config.User).toBe(NONROOT);
      expect(about.config.Entrypoint).toEqual(entrypointOf(name));
      expect(about.config.Env).toEqual(
        expect.arrayContaining(Object.entries(IMAGES[name].env).map(([key, value]) => `${key}=${value}`)),
      );

      const root = await buildah.mounted(image);
      const programs = readdirSync(join(root, "usr/local/bin"));
      expect(programs.toSorted()).toEqual(["node", ...IMAGES[name].programs].toSorted());
      for (const program of programs)
        expect([program, machineOf(join(root, "usr/local/bin", program))]).toEqual([
          program,
          ELF_MACHINE[architecture],
        ]);

      const [own, shipped] = [join(work, `${name}-${architecture}`), `usr/local/lib/holdfast/${name}.mjs`];
      const { path } = await bundle(`src/main/${name}.ts`, own, name);
      expect(readFileSync(join(root, shipped)).equals(readFileSync(path))).toBe(true);

      const node = readFileSync(".node-version", "utf8").trim();
      expect(ran(root, architecture, ["node", "--version"])).toBe(`v${node}\n`);
      for (const [command, says] of VERSIONS.filter(([[program = ""]]) => programs.includes(program)))
        expect(ran(root, architecture, command)).toContain(says);
    },
    1_800_000,
  );
});

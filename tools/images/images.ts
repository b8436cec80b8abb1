import { mkdirSync, mkdtempSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { ENGINE_PROGRAMS } from "../../src/mover/engine_maker.ts";
import { cacheFolder } from "../cluster/folders.ts";
import { packImage } from "../cluster/image.ts";
import { pinnedProgram } from "../cluster/programs.ts";
import { bundle } from "../run/bundle.ts";
import { shipConsolePage } from "../run/console_page.ts";
import { addFile, addProgram, makeRootfs, NONROOT } from "./rootfs.ts";
import type { Instead } from "./test_engines.ts";

/** What an image holds and how its program is started, as the Dockerfile says it, too. */
interface Image {
  /** The pinned programs in it beside Node. */
  readonly programs: readonly string[];
  /** Of Node itself. */
  readonly flags: readonly string[];
  readonly env: Readonly<Record<string, string>>;
}

/**
 * Operator and console mostly wait, with many objects in memory: like `npm start` they do with a small young generation,
 * and with few heaps of the C library that give back what is free.
 */
const WAITING = {
  programs: [],
  flags: ["--max-semi-space-size=2"],
  env: { MALLOC_ARENA_MAX: "2", MALLOC_TRIM_THRESHOLD_: "131072" },
} as const satisfies Image;

/** The images that are shipped. */
export const IMAGES = {
  mover: { programs: Object.keys(ENGINE_PROGRAMS), flags: [], env: {} },
  operator: WAITING,
  console: WAITING,
} as const satisfies Record<string, Image>;

export type ImageName = keyof typeof IMAGES;

/** The command that a container of the image runs. */
export function entrypointOf(name: ImageName): readonly string[] {
  return ["/usr/local/bin/node", ...IMAGES[name].flags, programIn(name)];
}

function programIn(name: ImageName): string {
  return `/usr/local/lib/holdfast/${name}.mjs`;
}

/** The name that pods give an image: the project's version is its tag. */
export function imageTag(name: ImageName): string {
  return `holdfast/${name}:${version()}`;
}

/** What tests build otherwise than it is shipped. */
export interface TestImage {
  /** Default: nothing. */
  readonly instead?: Instead;
  /** Default: as it is shipped. */
  readonly tag?: string;
}

/** The pinned programs of an image beside Node, each with its name there. */
export function programsOf(name: ImageName, instead: Instead = {}): readonly (readonly [string, string])[] {
  const others: Readonly<Record<string, string>> = instead;
  return IMAGES[name].programs.map((program) => [program, others[program] ?? program]);
}

/**
 * Assembles an image out of this machine's files, with the content that the Dockerfile of its name gives it, and
 * packs it as an archive. No image registry is needed.
 */
export async function buildImage(
  name: ImageName,
  out: string,
  { instead, tag = imageTag(name) }: TestImage = {},
): Promise<void> {
  const work = mkdtempSync(join(tmpdir(), "holdfast-image-"));
  try {
    const rootfs = join(work, "rootfs");
    mkdirSync(rootfs);
    await makeRootfs(rootfs);
    for (const [program, pinned] of programsOf(name, instead)) {
      await addProgram(rootfs, pinnedProgram(pinned), program);
    }
    const entry = fileURLToPath(new URL(`../../src/main/${name}.ts`, import.meta.url));
    addFile(rootfs, (await bundle(entry, work, name)).path, programIn(name));
    if (name === "console")
      await shipConsolePage(cacheFolder(), join(rootfs, "usr/local/lib/holdfast/console"));
    const { env } = IMAGES[name];
    const image = { name: tag, rootfs, entrypoint: entrypointOf(name), env, user: NONROOT, out };
    await packImage(image);
  } finally {
    rmSync(work, { recursive: true, force: true });
  }
}

function version(): string {
  const text = readFileSync(new URL("../../package.json", import.meta.url), "utf8");
  return (JSON.parse(text) as { version: string }).version;
}

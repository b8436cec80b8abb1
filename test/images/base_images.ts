import { cpSync, mkdirSync, rmSync, symlinkSync } from "node:fs";
import { join } from "node:path";
import { packImage } from "../../tools/cluster/image.ts";
import { run } from "../../tools/cluster/run.ts";
import type { Buildah } from "./buildah.ts";

export type Architecture = "amd64" | "arm64";

/** Where the machine says that its certificate authorities are; builds reach the registries with them. */
const AUTHORITIES = Object.fromEntries(
  ["NODE_EXTRA_CA_CERTS", "SSL_CERT_FILE"].flatMap((name) => {
    const value = process.env[name];
    return value === undefined ? [] : [[name, value]];
  }),
);

/**
 * Stand-ins for the images that the Dockerfile begins with, which registries alone have: the same Debian, with Node and
 * Go of the same versions, made of what Debian, npm and this machine have. What they cannot show is that those images
 * can be had, and how small they are.
 */
export async function makeBaseImages(buildah: Buildah, dockerfile: string, work: string): Promise<void> {
  const names = [...dockerfile.matchAll(/^FROM (?:--platform=\S+ )?(\S+[:/]\S+)/gm)].map(
    ([, name = ""]) => name,
  );
  const named = (part: string) => names.find((name) => name.includes(part)) ?? part;
  const native = await debian(work, "amd64");
  const foreign = await debian(work, "arm64");
  const node = named("node:");
  const version = /node:([\d.]+)/.exec(node)?.[1] ?? "";
  const bare = { amd64: native, arm64: foreign };
  await add(buildah, work, named("distroless/"), bare);

  await addNode(native, work, "x64", version);
  await addNode(foreign, work, "arm64", version);
  await addNpm(native, work);
  await add(buildah, work, node, bare);

  cpSync((await run("go", ["env", "GOROOT"])).trim(), join(native, "usr/local/go"), { recursive: true });
  symlinkSync("/usr/local/go/bin/go", join(native, "usr/local/bin/go"));
  await add(buildah, work, named("golang:"), { amd64: native });
  for (const folder of [native, foreign]) rmSync(folder, { recursive: true, force: true });
}

/** The packages of a small Debian, unpacked; those of another architecture are not set up, for none of its programs runs. */
async function debian(work: string, architecture: Architecture): Promise<string> {
  const folder = join(work, architecture);
  const packages = "--include=ca-certificates,libstdc++6";
  const only = architecture === "arm64" ? ["--foreign"] : [];
  const what = ["--variant=minbase", `--arch=${architecture}`, packages, ...only, "bookworm", folder];
  await run("debootstrap", what);
  cpSync("/etc/ssl/certs/ca-certificates.crt", join(folder, "etc/ssl/certs/ca-certificates.crt"));
  return folder;
}

async function addNode(rootfs: string, work: string, architecture: string, version: string): Promise<void> {
  const folder = await unpacked(work, `node-linux-${architecture}`, version);
  cpSync(join(folder, "bin/node"), join(rootfs, "usr/local/bin/node"));
}

async function addNpm(rootfs: string, work: string): Promise<void> {
  const folder = await unpacked(work, "npm", (await run("npm", ["--version"])).trim());
  cpSync(folder, join(rootfs, "usr/local/lib/node_modules/npm"), { recursive: true });
  symlinkSync("../lib/node_modules/npm/bin/npm-cli.js", join(rootfs, "usr/local/bin/npm"));
}

/** The folder of a package of npm. */
async function unpacked(work: string, name: string, version: string): Promise<string> {
  const folder = join(work, name);
  mkdirSync(folder);
  await run("npm", ["pack", "--silent", `${name}@${version}`, "--pack-destination", folder], { cwd: folder });
  await run("tar", ["-xzf", join(folder, `${name}-${version}.tgz`), "-C", folder]);
  return join(folder, "package");
}

/** Gives buildah an image for each architecture under one name, as a registry does. */
async function add(
  buildah: Buildah,
  work: string,
  name: string,
  folders: Readonly<Partial<Record<Architecture, string>>>,
): Promise<void> {
  const list = name.includes("/") ? name : `docker.io/library/${name}`;
  await buildah.run("manifest", "create", list);
  for (const [architecture, rootfs] of Object.entries(folders)) {
    const out = join(work, "image.tar");
    const tag = `localhost/${name.replaceAll(/[/:]/g, "-")}:${architecture}`;
    await packImage({ name: tag, rootfs, entrypoint: [], env: AUTHORITIES, architecture, out });
    await buildah.run("pull", `docker-archive:${out}`);
    await buildah.run("manifest", "add", list, tag);
    rmSync(out);
  }
}

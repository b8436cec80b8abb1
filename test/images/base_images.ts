import { cpSync, mkdirSync, rmSync, symlinkSync } from "node:fs";
import { join } from "node:path";
import { run } from "../../tools/cluster/run.ts";
import type { Registry } from "./registry.ts";

export type Architecture = "amd64" | "arm64";

/** Where the machine says that its certificate authorities are; builds reach the registries with them. */
const AUTHORITIES = Object.fromEntries(
  ["NODE_EXTRA_CA_CERTS", "SSL_CERT_FILE"].flatMap((name) => {
    const value = process.env[name];
    return value === undefined ? [] : [[name, value]];
  }),
);

/**
 * Stand-ins for the images that the Dockerfile begins with, which other registries have: the same Debian, with Node and
 * Go of the same versions, made of what Debian, npm and this machine have. What they cannot show is that those images
 * can be had, and how small they are.
 */
export async function addBaseImages(registry: Registry, dockerfile: string, work: string): Promise<void> {
  const tagOf = (name: string) => new RegExp(`^FROM .*?\\b${name}:(\\S+)`, "m").exec(dockerfile)?.[1] ?? "";
  const [native, foreign] = [await debian(work, "amd64"), await debian(work, "arm64")];
  const amd64 = { architecture: "amd64", rootfs: native, env: AUTHORITIES };
  const arm64 = { architecture: "arm64", rootfs: foreign, env: AUTHORITIES };
  await registry.add("distroless/cc-debian12", tagOf("cc-debian12"), [amd64, arm64]);

  const node = tagOf("node");
  const [version = ""] = node.split("-");
  await addNode(native, work, "x64", version);
  await addNode(foreign, work, "arm64", version);
  await addNpm(native, work);
  await registry.add("library/node", node, [amd64, arm64]);

  cpSync((await run("go", ["env", "GOROOT"])).trim(), join(native, "usr/local/go"), { recursive: true });
  symlinkSync("/usr/local/go/bin/go", join(native, "usr/local/bin/go"));
  await registry.add("library/golang", tagOf("golang"), [amd64]);
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

import { chmodSync, copyFileSync, existsSync, mkdirSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { run } from "../cluster/run.ts";

/** Whom the images' programs run as unless the pod says otherwise. */
export const NONROOT = "65532";

const CERTIFICATES = "/etc/ssl/certs/ca-certificates.crt";

const PASSWD = `root:x:0:0:root:/root:/sbin/nologin
nonroot:x:${NONROOT}:${NONROOT}:nonroot:/tmp:/sbin/nologin
`;

/** Fills a folder with what every image holds: Node with its libraries, certificate authorities, two users. */
export async function makeRootfs(rootfs: string): Promise<void> {
  for (const folder of ["etc", "tmp", "usr/local/bin", "usr/local/lib/holdfast"])
    mkdirSync(join(rootfs, folder), { recursive: true });
  chmodSync(join(rootfs, "tmp"), 0o1777);
  writeFileSync(join(rootfs, "etc/passwd"), PASSWD);
  await addProgram(rootfs, process.execPath, "node");
  if (existsSync(CERTIFICATES)) addFile(rootfs, CERTIFICATES, CERTIFICATES);
}

/** Adds a program to the image's PATH, with the shared libraries that it loads. */
export async function addProgram(rootfs: string, program: string, name: string): Promise<void> {
  const place = `/usr/local/bin/${name}`;
  addFile(rootfs, program, place);
  chmodSync(join(rootfs, place), 0o755);
  for (const library of await librariesOf(program)) {
    if (!existsSync(join(rootfs, library))) addFile(rootfs, library, library);
  }
}

export function addFile(rootfs: string, source: string, place: string): void {
  mkdirSync(dirname(join(rootfs, place)), { recursive: true });
  copyFileSync(source, join(rootfs, place));
}

async function librariesOf(program: string): Promise<readonly string[]> {
  const listing = await run("sh", ["-c", 'ldd "$1" 2>/dev/null || true', "sh", program]);
  return [...listing.matchAll(/(?:=> |^\s*)(\/\S+) \(0x/gm)].map(([, path = ""]) => path);
}

import { spawnSync } from "node:child_process";
import { mkdirSync, mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { describe, expect, test } from "vitest";
import { checkMounted, isBeneath } from "./check_mounted.ts";

const PATH = "/holdfast/volumes/volume";
const OVER = "u1/volumes/kubernetes.io~csi/pv/mount";
const KUBELET = "/var/lib/kubelet/pods";
const at = (root: string, place = PATH, id = 90) =>
  `${id} 80 8:1 ${root} ${place} ro,relatime master:1 - ext4 /dev/sda1 rw`;

test.each<[string, readonly string[], boolean]>([
  ["the folder of the node", [at(`${KUBELET}/${OVER}`)], true],
  ["such a folder below another root", [at(`/@/data/pods/${OVER}`)], true],
  ["such a folder of a disk of the kubelet's own", [at(`/${OVER}`)], true],
  ["such a folder that was removed", [at(`${KUBELET}/${OVER}//deleted`)], true],
  ["such a folder, and the volume came later", [at(`${KUBELET}/${OVER}`), at("/", PATH, 91)], true],
  ["a disk", [at("/")], false],
  ["a folder of the node's disk that is a volume", [at("/opt/local-path/pvc-1")], false],
  ["another pod's", [at(`${KUBELET}/u2/volumes/kubernetes.io~csi/pv/mount`)], false],
  ["nothing of its own", [at(`${KUBELET}/${OVER}`, "/holdfast/volumes/other"), at("/", "/")], false],
])("isBeneath() where a mover finds %s", (_, lines, expected) => {
  expect(isBeneath(`${[at("/", "/", 1), ...lines].join("\n")}\n`, PATH, OVER)).toBe(expected);
});

test("isBeneath() reads names with blanks", () => {
  expect(isBeneath(at("/pods/u1/volumes/a~b/my\\040disk"), PATH, "u1/volumes/a~b/my disk")).toBe(true);
});

test("checkMounted() asks nothing of work that says nothing of a mount", async () => {
  const identity = { username: "u", hostname: "h", path: "/" };
  await checkMounted({ snapshot: { sources: [{ name: "a", path: "/", identity }] } });
  await checkMounted({ check: {} });
});

const canMount = spawnSync("unshare", ["-rm", "true"]).status === 0;

describe.skipIf(!canMount)("checkMounted() with real mounts", () => {
  const look = (mount: string, work: (path: string) => object) => {
    const folder = mkdtempSync(join(tmpdir(), "holdfast-mounts-"));
    const [volume, pod] = [join(folder, "pods", OVER), join(folder, "pod")];
    try {
      for (const one of [volume, pod, join(folder, "disk")]) mkdirSync(one, { recursive: true });
      const script = `cd ${folder}; ${mount}; mount --bind ${volume} ${pod} && exec "$@"`;
      const url = new URL("check_mounted.ts", import.meta.url);
      const program = `const { checkMounted } = await import(${JSON.stringify(url.href)});
        await checkMounted(${JSON.stringify(work(pod))}).then(() => console.log("mounted"), (e) => console.log(e.class));`;
      const args = ["-rm", "sh", "-c", script, "sh", process.execPath, "--input-type=module", "-e", program];
      const { stdout, stderr } = spawnSync("unshare", args, { encoding: "utf8" });
      return stdout.trim() || stderr;
    } finally {
      rmSync(folder, { recursive: true });
    }
  };
  const snapshot = (path: string) => ({ snapshot: { sources: [{ path, mountedOver: OVER }] } });
  const restore = (target: string) => ({ restore: { target, mountedOver: OVER } });

  test.each([
    ["the volume is a folder of the same disk", `mount --bind disk pods/${OVER}`, snapshot, "mounted"],
    ["the volume is a file system", `mount -t tmpfs none pods/${OVER}`, restore, "mounted"],
    ["a snapshot would be of an empty folder", "true", snapshot, "Interrupted"],
    ["a restore would be on the node's disk", "true", restore, "Interrupted"],
  ])("%s", (_, mount, work, expected) => {
    expect(look(mount, work)).toBe(expected);
  });
});

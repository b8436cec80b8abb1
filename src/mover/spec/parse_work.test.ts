import { describe, expect, test } from "vitest";
import { BadWork } from "./bad_work.ts";
import { parseWork, readsVersion, runOf } from "./parse_work.ts";

const identity = { username: "app", hostname: "shop", path: "/data" };
const source = { name: "data", path: "/holdfast/volumes/data", identity };
const snapshot = { id: "s1", run: "r1", root: "k1", identity };
const filesystem = { filesystem: { path: "/holdfast/repository" } };
const base = { version: 1, run: "r1", engine: "kopia", repository: { backend: filesystem } };

const good: Readonly<Record<string, unknown>> = {
  init: { create: true, parameters: { encryption: "AES256-GCM-HMAC-SHA256" } },
  snapshot: {
    sources: [{ ...source, mountedOver: "u1/volumes/kubernetes.io~csi/pv/mount" }],
    tags: { a: "b" },
    ignore: { paths: ["*.tmp"], files: [".ignore"], cacheDirs: true },
    compression: { compressor: "zstd", neverCompress: ["*.zip"] },
    parallel: 4,
    oneFileSystem: true,
    skipIdentical: true,
    identicalTo: ["r0"],
    unreadable: "Skip",
    fidelity: "Engine",
    extraArgs: ["--flag"],
  },
  restore: {
    snapshot,
    mountedOver: "u1/volumes/kubernetes.io~nfs/pv",
    path: "a/b",
    target: "/target",
    existing: "Overwrite",
    deleteExtra: true,
    sparse: false,
    atomic: true,
    doneFile: ".done/u1",
    ownership: "BestEffort",
    parallel: 2,
    extraArgs: [],
  },
  delete: { snapshots: [{ id: "s1" }], runs: ["r2"] },
  maintain: {
    mode: "Full",
    immediate: true,
    owner: "kopiur/nas",
    takeOver: true,
    takeOverFrom: "somebody@else",
    unlock: false,
    check: true,
  },
  check: { quick: true, dataPercent: 2.5 },
  verify: { snapshot, filesPercent: 100 },
  catalog: { filter: { username: "a", hostname: "b", path: "/c", run: "d", tags: { e: "f" } }, limit: 100 },
  copy: { destination: { backend: { s3: { bucket: "b" } }, expectedId: "x" }, filter: { run: "r" } },
  session: { listen: { tls: { port: 8443, folder: "/keys" } }, idleSeconds: 60 },
};

const parse = (more: object) => parseWork(JSON.stringify({ ...base, work: { check: {} }, ...more }));
const workOf = (work: unknown) => parse({ work });

describe("parseWork()", () => {
  test.each(Object.entries(good))("reads %s with every field", (kind, work) => {
    expect(workOf({ [kind]: work })).toEqual({ ...base, work: { [kind]: work } });
  });

  test("reads every backend and a repository's settings", () => {
    const backends = [
      {
        s3: {
          bucket: "b",
          prefix: "",
          endpoint: "e:1",
          region: "r",
          addressing: "Path",
          profile: "p",
          tls: { ca: "PEM" },
        },
      },
      { azure: { container: "c", account: "a", keyName: "K" } },
      { gcs: { bucket: "b", endpoint: "http://e:1" } },
      { b2: { bucket: "b", prefix: "p/" } },
      { sftp: { host: "h", port: 22, user: "u", path: "relative/is/fine" } },
      { webdav: { url: "https://h", tls: { insecureSkipVerify: true } } },
      { rclone: { remote: "r:p" } },
    ];
    for (const backend of backends) {
      const repository = {
        backend,
        expectedId: "x",
        readOnly: true,
        cache: { contentBytes: 1, metadataBytes: 0 },
        limits: { upload: 1, download: 2 },
      };
      expect(parse({ repository, deadlineSeconds: 5 })).toMatchObject({ repository, deadlineSeconds: 5 });
    }
  });

  test.each([
    ["{", /^the work spec is not JSON: /],
    ["[]", "the work spec is not a JSON object"],
    ["{}", /version 1, and this one's is none: use the mover of the operator's release/],
    ['{"version":2}', /this one's is 2/],
    ['{"version":"1"}', /this one's is "1"/],
    ['{"version":1}', "spec lacks the field run"],
  ])("refuses %s", (text, message) => {
    expect(() => parseWork(text)).toThrow(message);
    expect(() => parseWork(text)).toThrow(BadWork);
  });

  test.each([
    [{ engine: "borg" }, 'spec.engine must be one of kopia, restic, and is "borg"'],
    [{ run: "" }, "spec.run is empty"],
    [{ extra: 1 }, "spec has the unknown field extra"],
    [{ deadlineSeconds: 0 }, "spec.deadlineSeconds must be a whole number of at least 1, and is 0"],
    [{ repository: {} }, "spec.repository lacks the field backend"],
    [{ repository: { backend: {} } }, /^spec.repository.backend is empty; set one of filesystem, s3, /],
    [
      { repository: { backend: { ...filesystem, b2: { bucket: "b" } } } },
      "spec.repository.backend names both filesystem and b2; set one of them",
    ],
    [{ repository: { backend: { ftp: {} } } }, /^spec.repository.backend names the unknown ftp; there are /],
    [
      { repository: { backend: { filesystem: { path: "here" } } } },
      'spec.repository.backend.filesystem.path must be an absolute path, and is "here"',
    ],
  ])("refuses %j", (more, message) => {
    expect(() => parse(more)).toThrow(message);
  });

  test.each([
    [{}, /^spec.work is empty; set one of init, snapshot, /],
    [{ check: {}, init: {} }, "spec.work names both check and init; set one of them"],
    [{ burn: {} }, /^spec.work names the unknown burn; there are init, /],
    [[], "spec.work must be an object, and is []"],
    [
      { check: { dataPercent: 101 } },
      "spec.work.check.dataPercent must be a number from 0 to 100, and is 101",
    ],
    [{ snapshot: { sources: [] } }, "spec.work.snapshot.sources must have 1 to 10000 items, and has 0"],
    [
      { snapshot: { sources: [source, source] } },
      "spec.work.snapshot.sources has two sources with the name data",
    ],
    [
      { snapshot: { sources: [{ ...source, path: "data" }] } },
      'spec.work.snapshot.sources[0].path must be an absolute path, and is "data"',
    ],
    [
      { snapshot: { sources: [{ ...source, path: "/a/../b" }] } },
      'spec.work.snapshot.sources[0].path must not lead upwards, and is "/a/../b"',
    ],
    [{ restore: { target: "/t" } }, "spec.work.restore lacks the field snapshot"],
    [{ restore: { snapshot, target: "t" } }, 'spec.work.restore.target must be an absolute path, and is "t"'],
    [
      { restore: { snapshot, target: "/t", path: "/a" } },
      'spec.work.restore.path must be relative to the snapshot\'s root, and is "/a"',
    ],
    [{ maintain: { mode: "Some" } }, 'spec.work.maintain.mode must be one of Quick, Full, and is "Some"'],
    [{ catalog: { limit: 101 } }, "spec.work.catalog.limit must be a whole number from 1 to 100, and is 101"],
    [{ session: { listen: {} } }, "spec.work.session.listen lacks the field tls"],
    [{ delete: { snapshots: [{ id: 5 }] } }, "spec.work.delete.snapshots[0].id must be a text, and is 5"],
    [{ delete: { snapshots: "all" } }, 'spec.work.delete.snapshots must be a list, and is "all"'],
    [{ init: { create: "yes" } }, 'spec.work.init.create must be true or false, and is "yes"'],
    [{ delete: { snapshots: [{ id: "a\0b" }] } }, "spec.work.delete.snapshots[0].id has a zero byte in it"],
  ])("refuses the work %j", (work, message) => {
    expect(() => workOf(work)).toThrow(message);
  });
});

describe("readsVersion()", () => {
  test.each([
    [1, 1, true],
    [0, 1, false],
    [2, 1, false],
    [2, 3, true],
    [3, 3, true],
    [1, 3, false],
    ["1", 1, false],
  ])("%j by a mover of version %i: %s", (version, own, reads) => {
    expect(readsVersion(version, own)).toBe(reads);
  });
});

test("runOf() finds the run also where the rest cannot be read", () => {
  expect(runOf('{"version":9,"run":"r7"}')).toBe("r7");
  expect(runOf('{"run":7}')).toBe("");
  expect(runOf("{")).toBe("");
});

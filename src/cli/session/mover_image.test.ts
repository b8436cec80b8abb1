import { describe, expect, test } from "vitest";
import type { Backup } from "../../kinds/kopiur/generated/backup.ts";
import { ApiError } from "../../kube/api_error.ts";
import type { Reader } from "../../kube/client.ts";
import type { AnyRepository } from "../frame/command.ts";
import { Given } from "../frame/given.ts";
import { backupOf, native } from "../testing/cli_samples.ts";
import { moverImage } from "./mover_image.ts";

interface World {
  /** Images of the runs of Backups in namespace `home`, and the unique ID of the repository each went to. */
  readonly backups?: readonly (readonly [repository: string, image: string | undefined])[];
  /** Of the Maintenance `ops/m`; an error is what reading it throws. */
  readonly maintained?: string | ApiError;
  readonly said?: string;
}

const backup = ([uniqueID, image]: readonly [string, string | undefined], index: number): Backup =>
  backupOf("data", `b${index}`, {
    resolved: {
      repository: { kind: "Repository", name: "store", uid: "before", ...(uniqueID ? { uniqueID } : {}) },
    },
    ...(image ? { job: { image } } : {}),
  });

async function chosen(repository: AnyRepository, { backups = [], maintained, said }: World): Promise<string> {
  const client = {
    list: async (_: unknown, { namespace }: { readonly namespace: string }) => ({
      items: namespace === "home" ? backups.map(backup) : [],
    }),
    get: async () => {
      if (maintained instanceof ApiError) throw maintained;
      return native("Maintenance", "m", { status: maintained ? { job: { image: maintained } } : {} });
    },
  } as unknown as Pick<Reader, "get" | "list">;
  const given = new Given([], said ? { "mover-image": said } : {});
  return moverImage({ given, signal: new AbortController().signal }, client, repository);
}

const UNIQUE = "r1";
const status = { uniqueID: UNIQUE, maintenanceRef: { namespace: "ops", name: "m" } };
const own = native<AnyRepository>("Repository", "store", { spec: {}, status });
const overridden = native<AnyRepository>("Repository", "store", { spec: { kopiaImageOverride: "its-own" } });
const unreached = native<AnyRepository>("Repository", "store", { spec: {} });
const { namespace: _, ...placeless } = own.metadata;
const shared = { ...own, kind: "ClusterRepository", metadata: placeless } as AnyRepository;
const forbidden = new ApiError({ request: "GET /x", code: 403, status: { reason: "Forbidden" } });

describe("moverImage()", () => {
  test.each<[what: string, repository: AnyRepository, world: World, image: string]>([
    ["as it was said", overridden, { said: "mine" }, "mine"],
    ["as the repository has it", overridden, { backups: [[UNIQUE, "older"]] }, "its-own"],
    ["as its Maintenance had it", shared, { maintained: "m1" }, "m1"],
    [
      "as a Backup beside it had it",
      own,
      {
        backups: [
          [UNIQUE, undefined],
          [UNIQUE, "b1"],
        ],
      },
      "b1",
    ],
    [
      "where its Maintenance may not be seen",
      own,
      { maintained: forbidden, backups: [[UNIQUE, "b1"]] },
      "b1",
    ],
    [
      "not as another repository's run had it",
      own,
      {
        backups: [
          ["other", "evil"],
          [UNIQUE, "b1"],
        ],
      },
      "b1",
    ],
  ])("is %s", async (_what, repository, world, image) => {
    expect(await chosen(repository, world)).toBe(image);
  });

  test.each<[what: string, repository: AnyRepository, world: World]>([
    ["only another repository's runs tell", own, { backups: [["other", "evil"]] }],
    ["the repository was never reached", unreached, { backups: [["", "evil"]] }],
    ["only a tenant's Backup of a ClusterRepository tells", shared, { backups: [[UNIQUE, "evil"]] }],
  ])("is asked for where %s", async (_what, repository, world) => {
    await expect(chosen(repository, world)).rejects.toMatchObject({ fix: "Name it with --mover-image." });
  });
});

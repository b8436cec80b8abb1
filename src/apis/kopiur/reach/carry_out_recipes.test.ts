import { expect, test } from "vitest";
import type { BackupConfig } from "../../../kinds/kopiur/generated/backup_config.ts";
import { ApiError } from "../../../kube/api_error.ts";
import { config } from "../testing/samples.ts";
import { carryOutRecipes } from "./carry_out_recipes.ts";

const refusal = (code: number, reason: string) =>
  new ApiError({ request: "POST /backupconfigs", code, status: { reason, message: "no" } as never });

function recording(fail: (namespace: string) => unknown = () => undefined) {
  const written: unknown[] = [];
  const write = async (what: unknown, namespace = "") => {
    written.push(what);
    const error = fail(namespace);
    if (error) throw error;
    return config();
  };
  const client = {
    create: (_: unknown, draft: BackupConfig) => write(draft.metadata.namespace, draft.metadata.namespace),
    patch: (_: unknown, name: object, change: object) => write([name, change]),
  } as never;
  return { client, written };
}

const draft = (namespace: string) => ({ metadata: { namespace, name: "data-1" }, spec: config().spec });
const make = (namespace: string) => ({ type: "Make", draft: draft(namespace) }) as const;

test("one that is refused keeps no other from being made, and is told", async () => {
  const { client, written } = recording((namespace) =>
    namespace === "lab" ? refusal(403, "Forbidden") : undefined,
  );
  await expect(carryOutRecipes(client, [make("lab"), make("shop")], {})).rejects.toMatchObject({
    reason: "RecipeRefused",
    message: expect.stringContaining("BackupConfig lab/data-1, to repeat this one, cannot be written: "),
  });
  expect(written).toEqual(["lab", "shop"]);
});

test("one that is there already is left to the next look", async () => {
  const { client } = recording(() => refusal(409, "AlreadyExists"));
  await expect(carryOutRecipes(client, [make("shop")], {})).resolves.toBeUndefined();
});

test("what the recipe no longer says is taken away, of the one that was seen alone", async () => {
  const { client, written } = recording();
  const derived = config({
    metadata: { namespace: "shop" },
    spec: { retention: { keepDaily: 7, maxShrinkPercent: 50 } },
  });
  await carryOutRecipes(client, [{ type: "Adapt", derived, draft: draft("shop") }], {});
  expect(written).toEqual([
    [
      derived.metadata,
      { type: "merge", patch: { metadata: { uid: "uid-data" }, spec: { retention: null } } },
    ],
  ]);
});

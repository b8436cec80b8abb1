import { readFile } from "node:fs/promises";
import { parseAllDocuments, stringify } from "yaml";
import { isNotFound } from "../../kube/api_error.ts";
import { Secrets } from "../../kube/builtin.ts";
import { type KubeObject, keyOf } from "../../kube/object.ts";
import { isRecord } from "../../lib/json.ts";
import { messageOf } from "../../lib/result.ts";
import { countText } from "../count_text.ts";
import type { Call } from "../frame/command.ts";
import { EXIT, type ExitCode } from "../frame/exit_codes.ts";
import { printedValue } from "../frame/printed.ts";
import { CommandProblem, misuse } from "../frame/problem.ts";
import { listed } from "../frame/scope.ts";
import { applyManifests } from "../migrate/apply_manifests.ts";
import { applyPlan } from "../migrate/apply_plan.ts";
import type { DeletionPolicy, Manifest } from "../migrate/migrated_source.ts";
import { type Migration, type MigrationInput, migrate } from "../migrate/migration.ts";
import { ADDRESS_KEYS, type AddressSettings } from "../migrate/repository_address.ts";
import { moverOf, ReplicationDestinations, ReplicationSources } from "../migrate/volsync.ts";

/** Translates VolSync's objects: from files, or from the cluster. Nothing is written to it without --apply. */
export async function migrateVolsync(call: Call): Promise<ExitCode> {
  const { given, out, progress } = call;
  const files = given.words;
  if (files.length > 0 && given.flag("apply"))
    throw misuse(
      "--apply is for objects of the cluster",
      "Apply the manifests that are printed with kubectl instead.",
    );
  const input = files.length > 0 ? await fromFiles(files) : await fromCluster(call);
  const deletionPolicy = given.text("deletion-policy") as DeletionPolicy | undefined;
  const migration = migrate({ ...input, ...(deletionPolicy ? { deletionPolicy } : {}) });
  if (migration.accounts.length + migration.notes.length === 0) {
    throw new CommandProblem("there is nothing of VolSync's here", {
      why: "No ReplicationSource and no ReplicationDestination was found.",
      code: EXIT.notFound,
    });
  }
  for (const line of reportLines(migration)) progress.line(line);
  const manifests = given.flag("apply") ? await apply(call, input, migration) : migration.manifests;
  if (await printedValue(call, { ...migration, manifests })) return EXIT.done;
  const text = manifests.map((manifest) => stringify(manifest)).join("---\n");
  if (text) out(text.trimEnd());
  return EXIT.done;
}

/** What became of every field, and what is left to do. */
export function reportLines({ accounts, notes, manifests }: Migration): readonly string[] {
  return [
    ...accounts.flatMap(({ object, fields }) => [
      `${object}:`,
      ...fields.map(
        ({ field, became, lost }) =>
          `  ${lost ? "✗" : "✓"} ${field} ${lost ? "is left out:" : "→"} ${became}`,
      ),
    ]),
    ...notes.map((note) => `note: ${note}`),
    countText(manifests.length, "object"),
  ];
}

/** Returns what was left out, to be applied when it is wanted. */
async function apply(
  call: Call,
  { objects }: MigrationInput,
  { manifests }: Migration,
): Promise<readonly Manifest[]> {
  const { applied, left } = applyPlan(objects, manifests);
  const { client } = await call.cluster();
  const { signal, progress } = call;
  await applyManifests(applied, { client, signal, say: (line) => progress.line(line) });
  for (const { metadata } of left)
    progress.line(`restore/${metadata.name} is not applied, as it writes data at once: it is printed`);
  return left;
}

async function fromFiles(files: readonly string[]): Promise<MigrationInput> {
  const objects = (await Promise.all(files.map(read))).flat();
  const addresses = new Map<string, AddressSettings>();
  for (const object of objects.filter(({ kind }) => kind === "Secret")) {
    addresses.set(
      keyOf({ namespace: object.metadata.namespace ?? "default", name: object.metadata.name }),
      addressIn(object),
    );
  }
  const placed = objects.map((object) => ({
    ...object,
    metadata: { ...object.metadata, namespace: object.metadata.namespace ?? "default" },
  }));
  return { objects: placed, addresses };
}

async function read(file: string): Promise<readonly KubeObject[]> {
  const text = await readFile(file, "utf8").catch((cause: unknown) => {
    throw new CommandProblem(`${file} cannot be read`, { why: messageOf(cause), code: EXIT.notFound });
  });
  return parseAllDocuments(text).flatMap((document) => {
    if (document.errors[0])
      throw new CommandProblem(`${file} is no YAML`, { why: document.errors[0].message });
    const value = document.toJS() as unknown;
    const items = isRecord(value) && Array.isArray(value.items) ? value.items : [value];
    return items.filter((item): item is KubeObject => isRecord(item) && isRecord(item.metadata));
  });
}

async function fromCluster(call: Call): Promise<MigrationInput> {
  const { signal } = call;
  const { client } = await call.cluster();
  const lists = [ReplicationSources, ReplicationDestinations].map(async (kind) =>
    (await client.serves(kind, { signal })) ? listed(call, kind) : [],
  );
  const objects = (await Promise.all(lists)).flat();
  const addresses = new Map<string, AddressSettings>();
  for (const object of objects) {
    const { namespace = "" } = object.metadata;
    const name = secretOf(object);
    const key = keyOf({ namespace, name: name ?? "" });
    if (!name || addresses.has(key)) continue;
    const secret = await client.get(Secrets, { namespace, name }, { signal }).catch((error: unknown) => {
      if (isNotFound(error)) return undefined;
      throw error;
    });
    if (secret) addresses.set(key, addressIn(secret));
  }
  return { objects, addresses };
}

function secretOf(object: KubeObject): string | undefined {
  const mover = moverOf(object);
  const { spec } = object as { readonly spec?: Readonly<Record<string, unknown>> };
  const settings = mover && spec?.[mover];
  return isRecord(settings) && typeof settings.repository === "string" ? settings.repository : undefined;
}

/** Only what says where the repository is: no password is ever looked at. */
function addressIn(secret: KubeObject): AddressSettings {
  const { data = {}, stringData = {} } = secret as {
    readonly data?: Readonly<Record<string, string>>;
    readonly stringData?: Readonly<Record<string, string>>;
  };
  return Object.fromEntries(
    ADDRESS_KEYS.flatMap((key) => {
      const encoded = data[key];
      const value =
        stringData[key] ?? (encoded === undefined ? undefined : Buffer.from(encoded, "base64").toString());
      return value === undefined ? [] : [[key, value.trim()]];
    }),
  );
}

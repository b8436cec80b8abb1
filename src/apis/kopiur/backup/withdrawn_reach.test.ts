import { expect, test } from "vitest";
import { ANNOTATIONS, DERIVED_ANNOTATIONS, REQUEST_ANNOTATIONS } from "../../../kinds/kopiur/annotations.ts";
import type { KubeObject } from "../../../kube/object.ts";
import type { Lookup } from "../admission/lookup.ts";
import { backup, config } from "../testing/samples.ts";
import { withdrawnReach } from "./withdrawn_reach.ts";

const { by, consent } = REQUEST_ANNOTATIONS;
const made = (who: string, from = "platform") => ({ [by]: `${from}/nightly`, [consent]: who });
const repeating = config({ metadata: { annotations: { [DERIVED_ANNOTATIONS.from]: "platform/all" } } });

/** For a Backup of the namespace billing, which allows recipes of these. */
function reasonFor(
  allowed: string | "unknown",
  recipe: typeof repeating | undefined,
  annotations: object = {},
) {
  const place = { metadata: { annotations: { [ANNOTATIONS.allowedConfigNamespaces]: allowed } } };
  const namespace = (name: string) =>
    name === "billing" && allowed !== "unknown" ? (place as unknown as KubeObject) : "unknown";
  const ports = { lookup: { namespace } as unknown as Lookup };
  return withdrawnReach(ports, backup({ metadata: { annotations: { ...annotations } } }), recipe)?.reason;
}

test.each<[string, string | undefined, Parameters<typeof reasonFor>]>([
  ["goes on while the namespace lists the other", undefined, ["platform", repeating, made("namespace")]],
  ["is not begun once it does not", "CrossNamespaceForbidden", ["lab", repeating, made("namespace")]],
  ["nor when its recipe is gone by then", "CrossNamespaceForbidden", ["", undefined, made("namespace")]],
  ["nor when somebody here asks for it", "CrossNamespaceForbidden", ["", repeating]],
  ["waits while that is not known", "NamespaceUnknown", ["unknown", repeating]],
  ["of an own recipe asks nobody", undefined, ["", config()]],
  ["of an own recipe that others may run asks nobody here", undefined, ["", config(), made("recipe")]],
  ["for a recipe of the same namespace asks nobody", undefined, ["", undefined, made("author", "billing")]],
])("a Backup %s", (_, reason, given) => {
  expect(reasonFor(...given)).toBe(reason);
});

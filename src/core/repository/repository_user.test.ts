import { expect, test } from "vitest";
import { clusterRepository, repository } from "../testing/samples.ts";
import type { MoverSpec } from "../work/mover_spec.ts";
import { otherRepositoryUser } from "./repository_user.ts";

const as = (runAsUser: number) => ({ securityContext: { runAsUser } });
const root = { privilegedMode: true };
const heir = { inheritSecurityContextFrom: { podSelector: {} } };

test.each<[string, Partial<MoverSpec>, Partial<MoverSpec> | undefined, string | undefined]>([
  ["nobody, as nobody", {}, undefined, undefined],
  ["a user, as that user", as(1000), {}, undefined],
  ["a user, as root", as(1000), { ...root, securityContext: { runAsUser: 0 } }, undefined],
  [
    "nobody, as a user",
    {},
    as(1000),
    "as user 1000, and the repository on volume store belongs to user 65534",
  ],
  ["root, as a user", root, as(1000), "as user 1000, and the repository on volume store belongs to user 0"],
  ["nobody, as a workload", {}, heir, "as a workload's user"],
  [
    "nobody, where its defaults are a workload's",
    heir,
    undefined,
    "as a workload's user, and the repository on volume store belongs to user 65534",
  ],
  ["root, as root", root, heir, undefined],
])("a repository on a volume that was made by %s", (_, defaults, mover, warning) => {
  const object = repository({ spec: { moverDefaults: { privilegedMode: false, ...defaults } } });
  const found = otherRepositoryUser(object, mover);
  if (warning === undefined) expect(found).toBeUndefined();
  else expect(found).toContain(warning);
});

test("storage of other kinds knows no users", () => {
  expect(otherRepositoryUser(clusterRepository(), as(1000))).toBeUndefined();
});

import { expect, test } from "vitest";
import { foreignOwners, type IdentityClaimant } from "./foreign_owners.ts";

const holder = { username: "data", hostname: "shop" };
const allowed = { list: ["billing"] };
const theirs: IdentityClaimant = { namespace: "shop", holders: new Set(["data@shop"]), allowed };
const ours: IdentityClaimant = { namespace: "billing", holders: new Set(["data@shop"]) };
const NAMED = { holder, from: "billing", shared: true };

interface Row {
  readonly claimed?: Partial<Parameters<typeof foreignOwners>[0]>;
  readonly users?: readonly IdentityClaimant[];
  readonly namespaces?: readonly string[];
}

test.each<[string, Row, readonly object[]]>([
  ["who records under it owns it", { users: [theirs] }, [{ namespace: "shop", allowed }]],
  [
    "who records under another does not",
    { users: [{ ...theirs, holders: new Set() }] },
    [{ namespace: "shop" }],
  ],
  ["in a shared repository the host name is a namespace's, there or not", {}, [{ namespace: "shop" }]],
  ["in a repository of one namespace it is not", { claimed: { shared: false } }, []],
  ["one's own host name is nobody else's", { claimed: { holder: { ...holder, hostname: "billing" } } }, []],
  ["what has been recorded all along is one's own", { users: [theirs, { ...ours, pinned: holder }] }, []],
  ["what only asks for it is not", { users: [theirs, ours] }, [{ namespace: "shop", allowed }]],
  [
    "a template's host name for the namespace is its own",
    { claimed: { holder: { ...holder, hostname: "x-billing" }, hostnameTemplate: "x-{{ .Namespace }}" } },
    [],
  ],
  [
    "unless a namespace has that name",
    {
      claimed: { holder: { ...holder, hostname: "x-billing" }, hostnameTemplate: "x-{{ .Namespace }}" },
      namespaces: ["x-billing"],
    },
    [{ namespace: "x-billing" }],
  ],
  [
    "or every namespace gets it",
    { claimed: { holder: { ...holder, hostname: "x" }, hostnameTemplate: "x" } },
    [{ namespace: "x" }],
  ],
])("%s", (_, { claimed, users = [], namespaces = [] }, owners) => {
  const found = foreignOwners({ ...NAMED, ...claimed }, users, (name) => namespaces.includes(name));
  expect(found).toEqual(owners);
});

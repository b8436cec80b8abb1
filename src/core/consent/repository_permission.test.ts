import { describe, expect, test } from "vitest";
import { violationText } from "../reconcile/violation.ts";
import type { Repository } from "../repository/repository.ts";
import { backup, clusterRepository, GROUP, repository } from "../testing/samples.ts";
import type { AllowedNamespaces } from "./permission.ts";
import { type RepositoryUser, repositoryPermission } from "./repository_permission.ts";

const shop = (more: Partial<RepositoryUser> = {}): RepositoryUser => ({
  namespace: "shop",
  labels: { tier: "gold" },
  witnesses: [],
  field: "repository",
  allowedField: "allowedNamespaces",
  ...more,
});
const shared = (allowedNamespaces: AllowedNamespaces) => clusterRepository({ spec: { allowedNamespaces } });
const consent = (token: string) =>
  backup({ metadata: { annotations: { [`${GROUP}/consented-references`]: token } } });

const verdict = (object: Repository, user: RepositoryUser) => {
  const permission = repositoryPermission(object, user);
  if (permission.granted) return "granted";
  return permission.why === "unknown" ? "unknown" : permission.why.reason;
};

describe("repositoryPermission()", () => {
  test.each<[string, AllowedNamespaces, Partial<RepositoryUser>, string]>([
    ["its list names", { list: ["shop"] }, {}, "granted"],
    ["its list does not name", { list: ["billing"] }, {}, "NamespaceNotAllowed"],
    ["its selector selects", { selector: { matchLabels: { tier: "gold" } } }, {}, "granted"],
    [
      "its selector does not select",
      { selector: { matchLabels: { tier: "tin" } } },
      {},
      "NamespaceNotAllowed",
    ],
    ["has labels nobody has read", { selector: {} }, { labels: undefined }, "unknown"],
    ["is any at all", { all: true }, { labels: undefined }, "granted"],
    [
      "only has a consent",
      { list: [] },
      { witnesses: [consent("Repository//shared")] },
      "NamespaceNotAllowed",
    ],
  ])("a ClusterRepository and a namespace that %s", (_, allowed, user, wanted) => {
    expect(verdict(shared(allowed), shop(user))).toBe(wanted);
  });

  test.each<[string, Repository, Partial<RepositoryUser>, string]>([
    ["its own namespace", repository(), { namespace: "billing" }, "granted"],
    ["another one", repository(), {}, "CrossNamespaceForbidden"],
    [
      "another one that it lists",
      repository({ spec: { allowedNamespaces: { list: ["shop"] } } }),
      {},
      "granted",
    ],
    ["another one with consent", repository(), { witnesses: [consent("Repository/billing/nas")] }, "granted"],
    [
      "another one with the consent for something else",
      repository(),
      { witnesses: [consent("Repository/billing/other"), consent("Backup/billing/nas")] },
      "CrossNamespaceForbidden",
    ],
  ])("a Repository and %s", (_, object, user, wanted) => {
    expect(verdict(object, shop(user))).toBe(wanted);
  });

  test("says what, why and what to do", () => {
    const permission = repositoryPermission(shared({ list: [] }), shop());
    if (permission.granted || permission.why === "unknown") throw new Error("it is granted");
    expect(violationText(permission.why)).toBe(
      "ClusterRepository shared cannot be used from namespace shop: its allowedNamespaces do not include that namespace. Have shop added to its allowedNamespaces, or use another repository.",
    );
  });
});

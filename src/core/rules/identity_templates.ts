import { holderText, resolveHolder } from "../policy/identity.ts";
import type { Violation } from "../reconcile/violation.ts";

/** How a repository makes identities for those who choose none. */
export interface IdentityDefaults {
  readonly usernameTemplate?: string;
  readonly hostnameTemplate?: string;
}

const FIELDS = [
  ["username", "usernameTemplate"],
  ["hostname", "hostnameTemplate"],
] as const;

/** Templates that no identity can be made from. `at`: where they stand. */
export function templateViolations(defaults: IdentityDefaults | undefined, at: string): readonly Violation[] {
  return FIELDS.flatMap(([part, field]) => {
    const template = defaults?.[field];
    if (template === undefined) return [];
    const rendered = holderOf({ [part]: template }, "namespace", "config");
    if (rendered.ok) return [];
    return [
      {
        reason: "InvalidTemplate",
        field: `${at}.${field}`,
        what: `no ${part} can be made from it`,
        why: rendered.error,
        fix: "Write one such as {{ .Namespace }}-{{ .ConfigName }}",
      },
    ];
  });
}

/** Whether templates give everything of every namespace an identity of its own. */
export function templatesTellApart(defaults: IdentityDefaults | undefined): boolean {
  const { usernameTemplate: username, hostnameTemplate: hostname } = defaults ?? {};
  const texts = [
    ["a", "b"],
    ["a", "c"],
    ["c", "b"],
  ].map(([namespace = "", name = ""]) => {
    const holder = holderOf({ username, hostname }, namespace, name);
    return holder.ok ? holderText(holder.value) : undefined;
  });
  return texts.includes(undefined) || new Set(texts).size === texts.length;
}

function holderOf(
  templates: { readonly username?: string | undefined; readonly hostname?: string | undefined },
  namespace: string,
  configName: string,
) {
  return resolveHolder({ namespace, configName, templates });
}

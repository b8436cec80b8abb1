import { resolveHolder } from "../../../core/policy/identity.ts";
import { holderText, type IdentityDefaults } from "./config_identity.ts";
import type { Violation } from "./violation.ts";

const FIELDS = [
  ["username", "usernameTemplate"],
  ["hostname", "hostnameTemplate"],
] as const;

/** Templates that no identity can be made from. */
export function templateViolations(defaults: IdentityDefaults | undefined): readonly Violation[] {
  return FIELDS.flatMap(([part, field]) => {
    const template = defaults?.[field];
    if (template === undefined) return [];
    const rendered = holderOf({ [part]: template }, "namespace", "config");
    if (rendered.ok) return [];
    return [
      {
        reason: "InvalidTemplate",
        field: `spec.identityDefaults.${field}`,
        what: `no ${part} can be made from it`,
        why: rendered.error,
        fix: "Write one such as {{ .Namespace }}-{{ .ConfigName }}",
      },
    ];
  });
}

/** Whether templates give every recipe of every namespace an identity of its own. */
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

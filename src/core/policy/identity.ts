import { err, ok, type Result } from "../../lib/result.ts";
import type { Identity } from "../../wire/identity.ts";
import { renderTemplate } from "./identity_template.ts";

/** Whose snapshots these are, before it is said of which path. */
export type Holder = Omit<Identity, "path">;

export const holderText = ({ username, hostname }: Holder): string => `${username}@${hostname}`;

export interface HolderRequest {
  readonly namespace: string;
  readonly configName: string;
  /** What the plan itself says. */
  readonly explicit?: Partial<Holder> | undefined;
  /** What the repository says for those who say nothing. */
  readonly templates?: { readonly username?: string | undefined; readonly hostname?: string | undefined };
}

/** kopia sets the parts off with `@` and `:`. */
const PART = /^[A-Za-z0-9]([A-Za-z0-9._-]*[A-Za-z0-9])?$/;
const MAX_PART = 253;

/** The plan's own words, else the repository's templates, else the plan's name and namespace. */
export function resolveHolder(request: HolderRequest): Result<Holder, string> {
  const { namespace, configName, explicit, templates } = request;
  const values = { Namespace: namespace, ConfigName: configName };
  const part = (name: keyof Holder, fallback: string): Result<string, string> => {
    const said = explicit?.[name];
    const text = said === undefined ? renderTemplate(templates?.[name] ?? fallback, values) : ok(said);
    if (!text.ok || (PART.test(text.value) && text.value.length <= MAX_PART)) return text;
    return err(
      `the ${name} ${JSON.stringify(text.value)} must be letters, digits, '.', '_' and '-', and begin and end with a letter or digit`,
    );
  };
  const username = part("username", configName);
  if (!username.ok) return username;
  const hostname = part("hostname", namespace);
  return hostname.ok ? ok({ username: username.value, hostname: hostname.value }) : hostname;
}

/** How the recorded path of a claim follows from its name. */
export type PathStrategy = "PVCName" | "PVCNamespacedName";

/** The path that is recorded for a claim when nobody chose another. */
export function sourcePath(
  claim: { readonly namespace: string; readonly name: string },
  strategy: PathStrategy = "PVCName",
): string {
  return strategy === "PVCName" ? `/pvc/${claim.name}` : `/pvc/${claim.namespace}/${claim.name}`;
}

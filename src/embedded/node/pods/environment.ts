import type { Container, EnvVarSource } from "kubernetes-types/core/v1.d.ts";
import type { Pod } from "../../../kube/builtin.ts";
import { type KeyedDataReader, Unavailable } from "./keyed_data.ts";
import { TOOLS_PATH } from "./launch_script.ts";
import { podField } from "./pod_field.ts";

/** What a container's program is started with. */
export interface Invocation {
  readonly argv: readonly string[];
  readonly env: Readonly<Record<string, string>>;
}

/** What stands for a container image on this machine. */
export interface Image {
  /** What is run when the container names no command; its arguments are appended. */
  readonly command: readonly string[];
  readonly env?: Readonly<Record<string, string>>;
  /** Default: root, or whoever runs the node. */
  readonly user?: number;
  /** Files of this machine, by the path at which the container sees them. Default: none. */
  readonly files?: Readonly<Record<string, string>>;
  /** Its programs find what is mounted through HOLDFAST_PATH_MAP, where mount paths cannot be real. */
  readonly translatesPaths?: boolean;
}

/** The command and the environment of a container, references resolved. Throws Unavailable. */
export async function invocation(
  pod: Pod,
  container: Container,
  image: Image,
  data: KeyedDataReader,
): Promise<Invocation> {
  const env: Record<string, string> = {
    PATH: TOOLS_PATH,
    HOSTNAME: pod.metadata.name,
    ...image.env,
  };
  for (const { prefix = "", secretRef, configMapRef } of container.envFrom ?? []) {
    const ref = secretRef ?? configMapRef;
    const values = await data.read(secretRef ? "secret" : "configmap", ref?.name ?? "", ref?.optional);
    for (const [key, value] of values) env[prefix + key] = value.toString();
  }
  for (const { name, value, valueFrom } of container.env ?? []) {
    const found = valueFrom ? await fromSource(pod, valueFrom, data) : expand(value ?? "", env);
    if (found !== undefined) env[name] = found;
  }
  const words = (list: readonly string[] = []) => list.map((word) => expand(word, env));
  const { command, args } = container;
  const argv = command?.length ? [...words(command), ...words(args)] : [...image.command, ...words(args)];
  return { argv, env };
}

async function fromSource(
  pod: Pod,
  source: EnvVarSource,
  data: KeyedDataReader,
): Promise<string | undefined> {
  const { secretKeyRef, configMapKeyRef, fieldRef } = source;
  if (secretKeyRef) return data.value("secret", secretKeyRef);
  if (configMapKeyRef) return data.value("configmap", configMapKeyRef);
  if (fieldRef) return podField(pod, fieldRef.fieldPath);
  throw new Unavailable(
    "this node offers no resourceFieldRef: name a Secret, a ConfigMap or a field of the pod",
  );
}

/** Replaces $(NAME) by its value where there is one; $$(NAME) stands for $(NAME). */
export function expand(text: string, env: Readonly<Record<string, string>>): string {
  return text.replace(/\$\$|\$\(([^()]*)\)/g, (all, name?: string) => {
    if (name === undefined) return "$";
    return Object.hasOwn(env, name) ? (env[name] ?? all) : all;
  });
}

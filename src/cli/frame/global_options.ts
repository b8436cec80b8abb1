import type { OptionSpec } from "./command.ts";

/** The options of every command; `output` only where a command has other forms than text. */
export const GLOBAL_OPTIONS = {
  namespace: {
    summary: "the namespace; default: the context's",
    value: "name",
    short: "n",
    completes: { names: "namespace" },
  },
  "all-namespaces": { summary: "all namespaces", short: "A" },
  context: { summary: "a context of the kubeconfig", value: "name" },
  kubeconfig: {
    summary: "the kubeconfig file; default: KUBECONFIG, then ~/.kube/config",
    value: "file",
    completes: "files",
  },
  output: {
    summary: "another form of output",
    value: "form",
    short: "o",
    choices: ["json", "yaml", "name", "wide"],
  },
  help: { summary: "how it is used", short: "h" },
} as const satisfies Readonly<Record<string, OptionSpec>>;

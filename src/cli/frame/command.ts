import type { ApiView } from "../../core/view/api_view.ts";
import type { SessionClient } from "../../core/work/session/session_client.ts";
import type { SessionRequest } from "../../core/work/session/session_request.ts";
import type { ClusterRepository } from "../../kinds/kopiur/generated/cluster_repository.ts";
import type { Repository } from "../../kinds/kopiur/generated/repository.ts";
import type { PodClient } from "../../kube/client/pod_client.ts";
import type { ServerVersion } from "../../kube/client/server_version.ts";
import type { Client } from "../../kube/client.ts";
import type { GrantedRules } from "../../kube/policy_rules.ts";
import type { Clock } from "../../lib/clock.ts";
import type { Random } from "../../lib/random.ts";
import type { ShownLines } from "../screen.ts";
import type { ExitCode } from "./exit_codes.ts";
import type { Given } from "./given.ts";
import type { Paint, Terminal } from "./terminal.ts";

/** What a word may be that no table can list: an object of a kind, `kind/name` of several, a kind, or a file. */
export type Completes =
  | ((
      | { readonly names: string }
      /** Of the kinds that are named, or of any that an API shows. A name without a kind is of the `usual` one. */
      | { readonly references: readonly string[] | "all"; readonly usual?: string }
    ) & {
      /** The option that says where they are, before `--namespace` does. */
      readonly namespaceOption?: string;
    })
  /** Of all kinds that an API shows, in the plural. */
  | "kinds"
  | "files";

/** One option of a command, such as `--name`. */
export interface OptionSpec {
  readonly summary: string;
  /** What its value is called; without one it is a switch. */
  readonly value?: string;
  readonly short?: string;
  /** May be given several times. */
  readonly many?: true;
  /** The only values that there are. */
  readonly choices?: readonly string[];
  /** Where a shell finds values. */
  readonly completes?: Completes;
}

/** One word after the command's name. */
export interface ArgumentSpec {
  readonly name: string;
  readonly summary: string;
  readonly optional?: true;
  /** All further words. Only the last one may be so. */
  readonly many?: true;
  readonly choices?: readonly string[];
  readonly completes?: Completes;
}

/** A command as people see it; help and completion are made of this, and parsing is held against it. */
export interface CommandSpec {
  /** Such as `backup now`. */
  readonly name: string;
  readonly summary: string;
  /** What is worth knowing beyond the summary. */
  readonly details?: string;
  readonly args?: readonly ArgumentSpec[];
  readonly options?: Readonly<Record<string, OptionSpec>>;
  /** Each a whole line, without the program's name, and what it does. */
  readonly examples?: readonly (readonly [line: string, does: string])[];
  /** It can look at all namespaces at once. */
  readonly allNamespaces?: true;
  /** Which forms of output it has beside text. */
  readonly outputs?: readonly Output[];
  /** Loads what does it: not before it is asked for, so that every start is quick. */
  readonly load: () => Promise<Run>;
}

export type Output = "json" | "yaml" | "name" | "wide";

/** Does a command. What it throws is explained to the person. */
export type Run = (call: Call) => Promise<ExitCode>;

export type AnyRepository = Repository | ClusterRepository;

/** Repository sessions that last longer than one question. */
export interface KeptSessions {
  ask<T>(call: Call, repository: AnyRepository, question: (client: SessionClient) => Promise<T>): Promise<T>;
}

/** The cluster, and the namespace that is meant unless another is named. */
export interface Cluster {
  readonly client: Client;
  readonly pods: PodClient;
  /** Of the API server; undefined where it does not say. */
  readonly version: (signal: AbortSignal) => Promise<ServerVersion | undefined>;
  readonly namespace: string;
  readonly server: string;
  /** Of the kubeconfig, where one is used. */
  readonly context?: string;
}

/** What a command has while it runs. */
export interface Call {
  readonly given: Given;
  readonly terminal: Terminal;
  /** Lines of the outcome. */
  readonly out: (line: string) => void;
  /** Lines about how it goes, and one that changes: apart from the outcome, so that that can be piped. */
  readonly progress: ShownLines;
  readonly paint: Paint;
  readonly clock: Clock;
  readonly random: Random;
  readonly signal: AbortSignal;
  readonly env: Readonly<Record<string, string | undefined>>;
  /** Of this program. */
  readonly version: string;
  /** What a session with a repository needs; the image is the mover's. Throws a CommandProblem where there can be none. */
  readonly sessionRequest: (repository: AnyRepository, image: string) => Promise<SessionRequest>;
  /** Where repository sessions are kept between questions. Without it, each command starts its own, and takes it away. */
  readonly sessions?: KeptSessions;
  /** Shows an address in the person's browser. Absent where there can be none. */
  readonly openPage?: ((address: string) => Promise<void>) | undefined;
  /** What an operator with this environment, in this namespace, has to be allowed. */
  readonly operatorRules: (env: Readonly<Record<string, string>>, namespace: string) => Promise<GrantedRules>;
  /** How each API shows its objects. They are loaded with the first call. */
  readonly views: () => Promise<readonly ApiView[]>;
  /** Connects with the first call. */
  readonly cluster: () => Promise<Cluster>;
}

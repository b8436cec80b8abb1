import type { HttpClient } from "../../src/kube/client/http_client.ts";
import type { GrantedRules } from "../../src/kube/policy_rules.ts";

/** What a program of its own needs to reach the API server as somebody. */
export interface Credentials {
  readonly server: string;
  /** The certificate of the server's authority, PEM. */
  readonly ca: string;
  readonly token: string;
}

/** Somebody with rights of their own, and no others: a person, or a program. */
export interface Account extends AsyncDisposable {
  readonly client: HttpClient;
  readonly credentials: Credentials;
}

export interface AccountRights {
  readonly rules: GrantedRules;
  /** Where the rules of `home` hold. */
  readonly home: string;
}

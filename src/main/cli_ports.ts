import type { CliOptions } from "../cli/frame/run_cli.ts";

/** What commands take from beyond their room: loaded when it is asked for, so that every start is quick. */
export const CLI_PORTS: Pick<CliOptions, "sessionRequest" | "operatorRules" | "views"> = {
  sessionRequest: async (...request) =>
    (await import("./cli_session_request.ts")).cliSessionRequest(...request),
  operatorRules: async (...operator) =>
    (await import("./cli_operator_rules.ts")).cliOperatorRules(...operator),
  views: async () => (await import("./views.ts")).VIEWS,
};

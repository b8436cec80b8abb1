import { describe, expect, test } from "vitest";
import type { Pod } from "../../../kube/builtin.ts";
import { chosenPods } from "./chosen_pods.ts";
import type { ExecAction } from "./hook.ts";

function pod(name: string, more: { readonly ready?: boolean; readonly going?: boolean } = {}): Pod {
  const { ready = true, going = false } = more;
  return {
    apiVersion: "v1",
    kind: "Pod",
    metadata: {
      name,
      namespace: "billing",
      uid: name,
      resourceVersion: "1",
      creationTimestamp: "2026-05-24T00:00:00Z",
      ...(going ? { deletionTimestamp: "2026-05-24T00:00:01Z" } : {}),
    },
    spec: { containers: [{ name: "db" }, { name: "proxy" }] },
    status: { phase: "Running", conditions: [{ type: "Ready", status: ready ? "True" : "False" }] },
  };
}

const action = (more: Partial<ExecAction> = {}): ExecAction => ({
  selector: { matchLabels: { app: "db" } },
  pods: "Any",
  command: ["sync"],
  repeatable: false,
  ...more,
});
const choose = (pods: readonly Pod[], more: Partial<ExecAction> = {}) => chosenPods(pods, action(more));
const at = (name: string, container = "db") => ({ namespace: "billing", name, container });

describe("the pods of a command", () => {
  test("are the first by name of those that are ready, and its first container", () => {
    const pods = [pod("db-2"), pod("db-0", { ready: false }), pod("db-1")];
    expect(choose(pods)).toEqual({ ok: true, value: [at("db-1")] });
  });

  test("are all that are ready, by name, where it says so", () => {
    const pods = [pod("db-2"), pod("db-1"), pod("db-0", { going: true })];
    expect(choose(pods, { pods: "All", container: "proxy" })).toEqual({
      ok: true,
      value: [at("db-1", "proxy"), at("db-2", "proxy")],
    });
  });

  test("are missed with the selector that matches none", () => {
    expect(choose([])).toEqual({
      ok: false,
      error: "no pod matches app=db. Start the workload, or correct its selector.",
    });
  });

  test("are missed by name where none is ready", () => {
    expect(choose([pod("db-0", { ready: false })])).toEqual({
      ok: false,
      error: "none of the pods that match is ready: billing/db-0. Look why, or correct its selector.",
    });
  });

  test("must have the container", () => {
    expect(choose([pod("db-0")], { container: "web" })).toEqual({
      ok: false,
      error: "pod billing/db-0 has no container web. Name one of db, proxy.",
    });
  });
});

import { describe, expect, test } from "vitest";
import type { KubeObject } from "../../../kube/object.ts";
import { PAUSED_FOR, PAUSED_FROM, pausing, resuming } from "./pause.ts";
import { application, appliedDeployment, helmRelease, KUSTOMIZED } from "./testing/gitops_samples.ts";

const SKIP = "argocd.argoproj.io/skip-reconcile";
const RECONCILE = "kustomize.toolkit.fluxcd.io/reconcile";
type Texts = Record<string, string>;

/** Each kind, with what stands where it is told to pause. */
const app = (value?: string, marks: Texts = {}) =>
  application(value === undefined ? marks : { [SKIP]: value, ...marks }).object;
const release = (suspend?: boolean, marks: Texts = {}) =>
  helmRelease(suspend === undefined ? {} : { suspend }, marks).object;
const web = (value?: string, marks: Texts = {}, labels: Texts = KUSTOMIZED) =>
  appliedDeployment({ labels, annotations: value === undefined ? marks : { [RECONCILE]: value, ...marks } })
    .object;
const mine = (from: unknown, holders = "me") => ({
  [PAUSED_FOR]: holders,
  [PAUSED_FROM]: JSON.stringify(from),
});
const unmarked = { [PAUSED_FOR]: null, [PAUSED_FROM]: null };

describe("pausing()", () => {
  test.each<[string, KubeObject, object | undefined]>([
    ["an Application", app(), { annotations: { [SKIP]: "true", ...mine(null) } }],
    [
      "an Application that a person lets go on",
      app("false"),
      { annotations: { [SKIP]: "true", ...mine("false") } },
    ],
    ["an Application that a person has paused", app("true"), undefined],
    ["one that is paused for this already", app("true", mine(null)), undefined],
    [
      "one that is paused for another",
      app("true", mine(null, "you")),
      { annotations: { [SKIP]: "true", [PAUSED_FOR]: "you,me" } },
    ],
    [
      "one that was let go on since",
      app("no", mine(null)),
      { annotations: { [SKIP]: "true", ...mine("no") } },
    ],
    ["a HelmRelease", release(), { annotations: mine(null), spec: { suspend: true } }],
    ["a HelmRelease with the default", release(false), { annotations: mine(false), spec: { suspend: true } }],
    ["a HelmRelease that a person has suspended", release(true), undefined],
    ["what a Kustomization applies", web(), { annotations: { [RECONCILE]: "disabled", ...mine(null) } }],
    ["what a person has taken from a Kustomization", web("Disabled"), undefined],
    ["what nothing applies", web(undefined, {}, {}), undefined],
  ])("%s", (_, object, change) => {
    expect(pausing(object, "me")).toEqual(change);
  });
});

describe("resuming()", () => {
  test.each<[string, KubeObject, object | undefined]>([
    ["an Application", app("true", mine(null)), { annotations: { [SKIP]: null, ...unmarked } }],
    [
      "to what a person had written",
      app("true", mine("false")),
      { annotations: { [SKIP]: "false", ...unmarked } },
    ],
    ["one that a person has let go on since", app("false", mine(null)), { annotations: unmarked }],
    [
      "one that another still needs",
      app("true", mine(null, "you,me")),
      { annotations: { [PAUSED_FOR]: "you" } },
    ],
    ["one that a person has paused", app("true"), undefined],
    ["a HelmRelease", release(true, mine(null)), { annotations: unmarked, spec: { suspend: null } }],
    [
      "a HelmRelease, to false",
      release(true, mine(false)),
      { annotations: unmarked, spec: { suspend: false } },
    ],
    [
      "what a Kustomization applies",
      web("disabled", mine(null)),
      { annotations: { [RECONCILE]: null, ...unmarked } },
    ],
    [
      "what it applied, without its label",
      web("disabled", mine("enabled"), {}),
      { annotations: { [RECONCILE]: "enabled", ...unmarked } },
    ],
    [
      "one whose note is no longer readable",
      app("true", { [PAUSED_FOR]: "me", [PAUSED_FROM]: "{" }),
      { annotations: { [SKIP]: null, ...unmarked } },
    ],
  ])("%s", (_, object, change) => {
    expect(resuming(object, "me")).toEqual(change);
  });
});

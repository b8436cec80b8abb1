import { renderLeaves } from "../../../core/policy/template.ts";
import type { KubeObject } from "../../../kube/object.ts";
import { jsonEqual } from "../../../lib/json.ts";
import type { Result } from "../../../lib/result.ts";
import { withGroup } from "../core/resolve_class.ts";
import type { BackupWork, RemovalWork, RestoreWork } from "./driver.ts";

type AnyWork = BackupWork<KubeObject> | RestoreWork<KubeObject> | RemovalWork<KubeObject>;

/** What the templates of a strategy can name. */
export function templateData(
  work: AnyWork,
  mode: "backup" | "restore" | "delete",
  more: object = {},
): object {
  const { object, namespace, application, applicationRef, parameters } = work;
  const { apiGroup, kind, name } = applicationRef;
  const backup = "backup" in work ? work.backup : object;
  const home = "targetNamespace" in work ? work.targetNamespace : namespace;
  return {
    Application: application ?? { apiVersion: apiGroup, kind, metadata: { name, namespace: home } },
    Parameters: parameters,
    // Before there is a Backup, the name that it will have.
    Backup:
      mode === "backup"
        ? { metadata: { name: object.metadata.name, namespace }, spec: { applicationRef } }
        : backup,
    Job: object,
    Mode: mode,
    Namespace: namespace,
    ...more,
  };
}

export function rendered<T>(
  template: T,
  work: AnyWork,
  mode: "backup" | "restore" | "delete",
  path: string,
  more: object = {},
): Result<T, string> {
  return renderLeaves(template, templateData(work, mode, more), { path, clock: work.clock });
}

/** Whether any text of a template names this value. */
export function names(template: unknown, value: "Application" | "Job" | "Mode"): boolean {
  return new RegExp(`\\{\\{(?:(?!\\}\\}).)*\\.${value}\\b`).test(JSON.stringify(template));
}

/** Whether a restore is into another application than the one that was backed up. */
export function toAnother({ applicationRef, backup }: RestoreWork<KubeObject>): boolean {
  return !jsonEqual(applicationRef, withGroup(backup.spec.applicationRef));
}

/** A change of a decision that could hurt data. The unit tests have to notice it. */
export interface Mutation {
  /** What it would do. */
  readonly name: string;
  /** A file of the project. */
  readonly file: string;
  /** A text that is in the file once. */
  readonly replace: string;
  readonly by: string;
}

/** Grows with what decides: whoever writes a decision that could hurt data adds the way in which it could be wrong. */
export const MUTATIONS: readonly Mutation[] = [
  ...["patch", "delete", "deleteCollection", "create", "update", "apply", "setScale"].map((call) => ({
    name: `a former leader may still ${call}`,
    file: "src/kube/controller/fenced.ts",
    replace: `  ${call}: true,`,
    by: `  ${call}: false,`,
  })),
  {
    name: "what is deleted from a volume that nothing backs up any more can be brought back",
    file: "src/cli/restore/restore_plan.ts",
    replace: `safety?.type !== "Impossible" || !target || !claim) return undefined;`,
    by: `safety?.type !== "Impossible" || !target || target.last || !claim) return undefined;`,
  },
  {
    name: "a backup of what a restore overwrote counts as the last good one",
    file: "src/core/view/joined.ts",
    replace: `doubt === undefined && !beforeRestore`,
    by: `doubt === undefined`,
  },
  {
    name: "undoing goes back to a half-written volume",
    file: "src/cli/restore/undone.ts",
    replace: `const first = firstBroken(restore, restores) ?? restore;`,
    by: `const first = restore;`,
  },
  {
    name: "undoing goes back to before a restore that another one has made up for",
    file: "src/cli/restore/undone.ts",
    replace: `before.slice(0, whole < 0 ? undefined : whole)`,
    by: `before`,
  },
  {
    name: "a script that deletes one Backup after the other takes most of them",
    file: "src/core/policy/precious_deletions.ts",
    replace: `const all = going.length + gone;`,
    by: `const all = going.length;`,
  },
  {
    name: "what was deleted an hour ago does not count where most go",
    file: "src/core/backup/deletion_guard.ts",
    replace: `const DAY = 24 * 3_600_000;`,
    by: `const DAY = 600_000;`,
  },
  {
    name: "an emptied volume is restored once the repository's list holds none of before",
    file: "src/core/restore/answer.ts",
    replace: `shrunkRuns([...before, ...runs], accepted, settings)`,
    by: `shrunkRuns(runs, accepted, settings)`,
  },
  {
    name: "a snapshot that Backups know as far smaller is restored unasked",
    file: "src/core/restore/answer.ts",
    replace: `small.get(one.id) ?? knownAs(one, rule)`,
    by: `small.get(one.id)`,
  },
  {
    name: "a list that was cut is a measure",
    file: "src/core/restore/answer.ts",
    replace: `if (snapshot && isUnmeasured(`,
    by: `if (!snapshot && isUnmeasured(`,
  },
  {
    name: "a volume is what it is since it was emptied, where files are deleted",
    file: "src/core/restore/deletion_doubt.ts",
    replace: `.filter(({ id }) => !shrunk.has(id))`,
    by: `.filter(({ id }) => shrunk.get(id)?.size !== 0.5)`,
  },
  {
    name: "a volume that a restore left half written is backed up as a good one",
    file: "src/core/backup/gates.ts",
    replace: `    return left ? [[pvc, leftBy(left, pvc)] as const] : [];`,
    by: `    return left ? [] : [];`,
  },
  {
    name: "a claim does not say that a restore writes into it, and forgets it with the restore",
    file: "src/core/restore/marked_claim.ts",
    replace: `if (isIncomplete(status) || hasBegun(`,
    by: `if (isIncomplete(status) && hasBegun(`,
  },
  {
    name: "a restore that completed before a volume was left half written makes it whole",
    file: "src/core/restore/target_incomplete.ts",
    replace: `return Date.parse(status.timing?.endTime ?? "") > Date.parse(since);`,
    by: `return status.timing?.endTime !== since;`,
  },
  {
    name: "a restore of one folder makes a half-written volume whole",
    file: "src/core/restore/target_incomplete.ts",
    replace: `return hasWrittenSince(restore, since) && isWhole(restore);`,
    by: `return hasWrittenSince(restore, since);`,
  },
  {
    name: "a HelmRelease that a person has suspended goes on after a restore",
    file: "src/core/workloads/gitops/pause.ts",
    replace: `if (isPaused && (holders.length === 0 || holders.includes(holder))) return undefined;`,
    by: `if (isPaused && holders.includes(holder)) return undefined;`,
  },
  {
    name: "GitOps goes on while another restore still holds the workload",
    file: "src/core/workloads/gitops/pause.ts",
    replace: `  if (others.length > 0) return { annotations: { [PAUSED_FOR]: others.join(",") } };`,
    by: "",
  },
  {
    name: "an Application stays paused for good once its workload's namespace goes",
    file: "src/core/restore/restore_deletion.ts",
    replace: `const resumed = intents.length > 0 ?`,
    by: `const resumed = intents.length > 0 && !namespaceGoes ?`,
  },
  {
    name: "what was paused for a restore is forgotten before it goes on",
    file: "src/core/workloads/scaling/bringing_back.ts",
    replace: `.filter(({ object }) => pausedFor(object).includes(holder))`,
    by: `.filter(() => false)`,
  },
  {
    name: "the console answers a name of another machine that leads here",
    file: "src/cli/console/guard.ts",
    replace: "return known && !known.includes(host) ?",
    by: `return known && host === "" ?`,
  },
  {
    name: "the console answers another site's page",
    file: "src/cli/console/guard.ts",
    replace: "if (origin !== undefined && !isOwn(",
    by: `if (origin === "null" && !isOwn(`,
  },
  {
    name: "the console answers a sister of its site",
    file: "src/cli/console/guard.ts",
    replace: `site !== "same-origin" && site !== "none"`,
    by: `site === "cross-site"`,
  },
  {
    name: "the console changes things without the page's proof",
    file: "src/cli/console/guard.ts",
    replace: `return method !== "GET" && method !== "HEAD";`,
    by: `return method === "DELETE";`,
  },
  {
    name: "any text of the right length is the secret",
    file: "src/cli/console/guard.ts",
    replace: "return different === 0;",
    by: "return different >= 0;",
  },
  {
    name: "the console answers whoever is not signed in",
    file: "src/cli/console/console_app.ts",
    replace: "if (!signIn && !OPEN.test(req.path)) throw",
    by: `if (!signIn && req.path === "/api/run") throw`,
  },
  {
    name: "any proof is the page's",
    file: "src/cli/console/console_app.ts",
    replace: "!sameSecret(proof, signIn.csrf)",
    by: "proof.length === 0",
  },
  {
    name: "the console runs every command",
    file: "src/cli/console/allowed_line.ts",
    replace: "if (!ALLOWED.includes(command.name))",
    by: `if (command.name === "console")`,
  },
  {
    name: "the console takes options that reach elsewhere",
    file: "src/cli/console/allowed_line.ts",
    replace: "given.text(option) !== undefined || given.flag(option)",
    by: "given.flag(option)",
  },
  {
    name: "a path that climbs is read",
    file: "src/cli/console/files_api.ts",
    replace: `.split("/").includes("..")`,
    by: `.startsWith("../../")`,
  },
  {
    name: "a sign-in outlives the token that was shown",
    file: "src/cli/console/sign_ins.ts",
    replace: "return now >= until || now - usedAt",
    by: "return now - usedAt",
  },
  {
    name: "a sign-in at a provider is good for any browser",
    file: "src/cli/console/oidc.ts",
    replace: `if (!begun || late || !sameSecret(remembered ?? "", state))`,
    by: "if (!begun || late)",
  },
  {
    name: "the ID token of another sign-in is good",
    file: "src/cli/console/oidc.ts",
    replace: "if (claims.nonce !== nonce)",
    by: "if (!claims.nonce)",
  },
  {
    name: "the link to the console is good for ever",
    file: "src/cli/console/link_token.ts",
    replace: "    this.#token = this.#random.hex(24);\n    return true;",
    by: "    return true;",
  },
  {
    name: "a file of a backup is a page of the console",
    file: "src/cli/console/page_headers.ts",
    replace: `"content-security-policy": "sandbox; default-src 'none'",`,
    by: `"content-security-policy": "default-src 'self'",`,
  },
  {
    name: "what should only be shown is written",
    file: "src/cli/console/protect_routes.ts",
    replace: "dryRun: dryRun !== false",
    by: "dryRun: dryRun === true",
  },
  {
    name: "a name in an archive leads out of its folder",
    file: "src/cli/console/archive.ts",
    replace: `name === ".." ||`,
    by: `name === "..." ||`,
  },
  {
    name: "one folder is restored over a whole volume and deletes the rest unasked",
    file: "src/core/restore/deletion_doubt.ts",
    replace: `if (from !== to && to === "")`,
    by: `if (from === to && to === "/")`,
  },
  {
    name: "a snapshot that lacks files deletes them from the volume unasked",
    file: "src/core/restore/deletion_doubt.ts",
    replace: "if (lacks !== undefined)",
    by: `if (lacks === "")`,
  },
  {
    name: "a Backup of an emptied volume stands in for the last good one that is deleted",
    file: "src/core/policy/precious_deletions.ts",
    replace: "(good.has(volume) ? kept : left)",
    by: "left",
  },
  {
    name: "files of a volume that nothing backs up are deleted unasked",
    file: "src/cli/restore/restore_plan.ts",
    replace: `if (!last) return "nothing backs the volume up`,
    by: `if (!last) return undefined;
  if (last === null) return "nothing backs the volume up`,
  },
  {
    name: "a volume is overwritten after a backup that lacks a part of it",
    file: "src/cli/restore/safety_backup.ts",
    replace: "if (incomplete === undefined) return;",
    by: "if (incomplete !== undefined) return;",
  },
  {
    name: "a volume is overwritten without a backup because its BackupConfig cannot run",
    file: "src/cli/restore/safety_backup.ts",
    replace: "const [stuck] = own;",
    by: "const [stuck] = own.slice(1);",
  },
  {
    name: "a cancelled restore counts as completed",
    file: "src/core/restore/restore_status.ts",
    replace: `if (ended.outcome !== "Succeeded")`,
    by: `if (ended.outcome === "Failed")`,
  },
  {
    name: "a half-filled volume is handed over",
    file: "src/core/restore/populate/fill.ts",
    replace: `const end = phase === "Failed" ? failed(at, readyState) : full(at, readyState);`,
    by: `const end = state.outcome === "Failed" ? failed(at, readyState) : full(at, readyState);`,
  },
  {
    name: "a Backup without its BackupConfig is for everybody",
    file: "src/apis/kopiur/admission/consent_rules.ts",
    replace: `isPresent(config) ? listed(config.spec.allowedNamespaces, tenant) : "denied"`,
    by: `isPresent(config) ? listed(config.spec.allowedNamespaces, tenant) : "granted"`,
  },
  {
    name: "a Backup that was found is for everybody once its Repository is gone",
    file: "src/apis/kopiur/admission/consent_rules.ts",
    replace: `isPresent(repository) ? listed(repository.spec.allowedNamespaces, tenant) : "denied"`,
    by: `isPresent(repository) ? listed(repository.spec.allowedNamespaces, tenant) : "granted"`,
  },
  {
    name: "a workload comes back while a mover writes",
    file: "src/core/restore/in_place.ts",
    replace: "|| isWriting({ status }) ||",
    by: "|| false ||",
  },
  {
    name: "a volume that was filled for another claim counts",
    file: "src/core/volumes/populator/decide_population.ts",
    replace: "if (volume.metadata.annotations?.[FILLED_FOR] === claim.metadata.uid) return undefined;",
    by: "if (volume.metadata.annotations?.[FILLED_FOR] !== undefined) return undefined;",
  },
  {
    name: "clean-up deletes a claim that is somebody's own",
    file: "src/core/volumes/staging/staged_of.ts",
    replace: "claim && isStagedFor(claim, owner)",
    by: "claim",
  },
  {
    name: "clean-up deletes a snapshot that is somebody's own",
    file: "src/core/volumes/staging/staged_of.ts",
    replace: "snapshot && isStagedFor(snapshot, owner) ?",
    by: "snapshot ?",
  },
  {
    name: "an update of an older state is taken",
    file: "src/embedded/api/object_changes.ts",
    replace: "throw conflict(kind.resource, name, MODIFIED);",
    by: "return;",
  },
  {
    name: "an update takes an object away that has finalizers",
    file: "src/embedded/api/object_writer.ts",
    replace: "|| holdersOf(next).length > 0;",
    by: ";",
  },
  {
    name: "ending the runs of one owner ends those of all",
    file: "src/core/work/end_runs.ts",
    replace: "[RUN_LABEL, ...wanted]",
    by: "[RUN_LABEL]",
  },
  {
    name: "hooks begin for a run that cannot be made",
    file: "src/core/backup/gates.ts",
    replace: "if (described && !described.ok) return gateOf(described);",
    by: "",
  },
  {
    name: "a quiesced workload waits for its copies for ever",
    file: "src/core/backup/gates.ts",
    replace: "if (!by || now < by.at ||",
    by: "if (by || !by ||",
  },
  {
    name: "a quiesced workload waits for a mover that is too late",
    file: "src/core/backup/with_hooks.ts",
    replace: "over || record.late ||",
    by: "over ||",
  },
  {
    name: "a run that cannot start keeps its slot for ever",
    file: "src/core/work/late_to_start.ts",
    replace: "if (now >= clear + seconds * 1000) {",
    by: "if (now < 0) {",
  },
  {
    name: "what a mover makes after its time counts",
    file: "src/core/work/late_to_start.ts",
    replace: "{ ...state, result: { ...state.result, failure } }",
    by: "state",
  },
  {
    name: "a Backup whose run cannot be made waits for ever",
    file: "src/core/backup/decide_backup.ts",
    replace: "if (now < deadline) {",
    by: "if (now < Number.POSITIVE_INFINITY) {",
  },
  {
    name: "Backups of an application that a Plan was for before make room for those of another",
    file: "src/apis/cozystack/core/decide_history.ts",
    replace: `Map.groupBy(present, applicationOf)`,
    by: `Map.groupBy(present, () => "")`,
  },
  {
    name: "retention deletes a Backup that is being restored",
    file: "src/apis/cozystack/core/decide_history.ts",
    replace: `isHeld(backup) || needed.has(backup.metadata.name)`,
    by: `isHeld(backup)`,
  },
  {
    name: "a BackupJob goes, and with it the Backup that it owns",
    file: "src/apis/cozystack/core/decide_history.ts",
    replace: ` && !owns(job)`,
    by: ``,
  },
  {
    name: "a Backup stays owned by its BackupJob",
    file: "src/apis/cozystack/core/kept_owners.ts",
    replace: `split("/")[0] !== GROUP`,
    by: `split("/")[0] !== ""`,
  },
  {
    name: "a driver that knows no other namespace overwrites the application of its own",
    file: "src/apis/cozystack/core/restore_consent.ts",
    replace: `if (!crossing || backup`,
    by: `if (crossing || backup`,
  },
  {
    name: "a Backup says that pods can restore it into another namespace, where they overwrite their own",
    file: "src/apis/cozystack/drivers/record_backup.ts",
    replace: `...(restoresElsewhere ? {`,
    by: `...(restoresElsewhere === undefined || restoresElsewhere ? {`,
  },
  {
    name: "a pod that can only back up is run to restore",
    file: "src/apis/cozystack/drivers/job/job_driver.ts",
    replace: `if (!canRestore(strategy.spec)) {`,
    by: `if (!canRestore(strategy.spec) && !restoreTemplate && !template) {`,
  },
  {
    name: "a restore into another application overwrites the original",
    file: "src/apis/cozystack/drivers/volume/decide_restores.ts",
    replace: `if (toAnother(work) && applicationRef.name === name && targetNamespace === namespace) {`,
    by: `if (!toAnother(work) && applicationRef.name !== name && targetNamespace === namespace) {`,
  },
  {
    name: "two volumes of an application are restored into one",
    file: "src/apis/cozystack/drivers/volume/decide_restores.ts",
    replace: `copies.indexOf(copy) !== index)`,
    by: `copies.indexOf(copy) > index)`,
  },
  {
    name: "a workload starts when the first of its volumes is restored",
    file: "src/core/restore/in_place.ts",
    replace: `metadata.annotations?.[KEEPS_DOWN] !== undefined) return decision;`,
    by: `metadata.annotations?.[KEEPS_DOWN] === "") return decision;`,
  },
  {
    name: "a backup that ended while the operator was away counts as failed",
    file: "src/core/workloads/hooks/hook_job.ts",
    replace: `reports && !lends ? KEPT_FOR_ITS_REPORT : KEPT`,
    by: `KEPT`,
  },
  {
    name: "a RestoreJob reaches a namespace that does not consent",
    file: "src/apis/cozystack/core/decide_job.ts",
    replace: `forbidden ? err(forbidden) : restorable(job, backup)`,
    by: `restorable(job, backup)`,
  },
  {
    name: "a consent to restore that nobody checked counts",
    file: "src/apis/cozystack/core/restore_consent.ts",
    replace: `rules: restoreRules(lookup), guarded }`,
    by: `rules: restoreRules(lookup), guarded: true }`,
  },
  {
    name: "a tenant restores and deletes what Velero keeps for another",
    file: "src/apis/cozystack/drivers/velero/velero_driver.ts",
    replace: `metadata.annotations?.[TENANT] === namespace`,
    by: `namespace !== undefined`,
  },
  {
    name: "a Backup goes though its data could not be deleted",
    file: "src/apis/cozystack/drivers/decide_removed.ts",
    replace: `if (step.type === "Succeeded") {`,
    by: `if (step.type === "Succeeded" || step.type === "Failed") {`,
  },
  {
    name: "the next attempt at a volume that pods can mount empties it",
    file: "src/core/restore/restore_tasks.ts",
    replace: "...(resumes ? { resume: true, deleteExtra: false } : {}),",
    by: "...(resumes ? {} : {}),",
  },
  {
    name: "a volume that a failed restore left empty is backed up",
    file: "src/core/restore/unsettled_restore.ts",
    replace: `(wantsEmpty && status.failure?.errorClass !== "TargetExists")`,
    by: "false",
  },
  {
    name: "the last good ResticBackup of a PVC goes at once, because one that is going keeps it",
    file: "src/apis/autorestore/backup/deletion_guard.ts",
    replace: "volumes: [claimKeyOf(backup)] }];",
    by: "volumes: [] }];",
  },
  {
    name: "an annotation that asks for a restore is accepted twice",
    file: "src/apis/autorestore/config/act_config.ts",
    replace: "{ annotations, ...seen }, call);",
    by: "{ annotations }, call);",
  },
  {
    name: "an annotation that asks for a backup goes although the backup was refused",
    file: "src/apis/autorestore/config/act_config.ts",
    replace: "[...decision.settle, ...decision.accept].filter(({ object }) => made(object))",
    by: "[...decision.settle, ...decision.accept]",
  },
  {
    name: "a scheduled backup that was refused counts as made",
    file: "src/apis/autorestore/config/while_refused.ts",
    replace: "return due === undefined ? slot :",
    by: "return due !== -1 ? slot :",
  },
  {
    name: "a PVC counts as restored although its restore was refused",
    file: "src/apis/autorestore/config/act_config.ts",
    replace: "decision.decided.filter(made)",
    by: "decision.decided",
  },
  {
    name: "a workload that may not be scaled up keeps the others down",
    file: "src/core/workloads/scaling/carry_out_scaling.ts",
    replace: "!BRINGS_BACK.has(intent.type)",
    by: "BRINGS_BACK.size > 0",
  },
  {
    name: "retention deletes what is being restored",
    file: "src/apis/autorestore/config/decide_config.ts",
    replace: ".filter((one) => !isWanted(one))",
    by: "",
  },
  {
    name: "retention of a BackupConfig deletes the good backups of a PVC that was emptied",
    file: "src/apis/autorestore/config/surplus.ts",
    replace: "if (pruningPause(backups)) return failed;",
    by: "",
  },
  {
    name: "retention of a Plan deletes the good Backups of an application that was emptied",
    file: "src/apis/cozystack/core/decide_history.ts",
    replace: "pause ? [] : verdicts.map",
    by: "verdicts.map",
  },
  {
    name: "an automatic restore goes on into another PVC of the same name",
    file: "src/apis/autorestore/restore/restore_source.ts",
    replace: "claim?.metadata.uid === uid &&",
    by: "claim !== undefined &&",
  },
  {
    name: "two BackupConfigs claim one PVC",
    file: "src/apis/autorestore/config/act_config.ts",
    replace: "    resourceVersion: claim.metadata.resourceVersion,\n",
    by: "",
  },
  {
    name: "a Velero server is offered a snapshot that is not whole",
    file: "src/apis/velero/data_path/next_phase.ts",
    replace: "if (!made || made.snapshot.incomplete !== undefined)",
    by: "if (!made)",
  },
  {
    name: "the backup of a volume that went with its pod is complete",
    file: "src/apis/velero/data_path/next_phase.ts",
    replace: `if (view.emptied) return`,
    by: `if (view.emptied && false) return`,
  },
  {
    name: "a mover starts though its volume was unmounted, and takes an empty folder for it",
    file: "src/apis/velero/data_path/readiness.ts",
    replace: `task.phase === "Working" && run?.signalled !== true`,
    by: `task.phase === "Working" && run?.signalled === true`,
  },
  {
    name: "the volume of a pod that is done is taken for mounted",
    file: "src/apis/velero/data_path/readiness.ts",
    replace: `phase === "Succeeded" || phase === "Failed" ||`,
    by: "",
  },
  {
    name: "a repository in which a check found damage is pruned",
    file: "src/core/maintenance/chores.ts",
    replace: `chore === "prune" && doubt ? doubt : chore`,
    by: "doubt && chore ? chore : chore",
  },
  {
    name: "the snapshot of a backup that is complete is deleted with what failed ones left",
    file: "src/apis/velero/data_path/left_behind.ts",
    replace: `if (status?.phase !== "Failed" && status?.phase !== "Canceled") return [];`,
    by: "if (status?.phase === undefined) return [];",
  },
  {
    name: "what a backup left is deleted while its mover may be at work",
    file: "src/apis/velero/repository/purge.ts",
    replace: "left.filter((one) => leftoversDue(one) <= now)",
    by: "left.filter((one) => leftoversDue(one) > 0)",
  },
  {
    name: "movers are root for the objects of any namespace",
    file: "src/apis/velero/data_path/reconcile_pod_volume.ts",
    replace: `if (!consents(ports, object.metadata.namespace ?? ""))`,
    by: "if (object.metadata.namespace === undefined)",
  },
  {
    name: "a repository is made beside a Velero server that makes its own",
    file: "src/apis/velero/repository/create_repository.ts",
    replace: "if (await hasServer(ports, namespace, signal)) return;",
    by: "if (!(await hasServer(ports, namespace, signal))) return;",
  },
  {
    name: "a pod starts before all of its volumes are restored",
    file: "src/mover/restore_wait.ts",
    replace: "if (missing.length === 0) {",
    by: "if (missing.length <= 1) {",
  },
  {
    name: "a labelled PVC starts empty though nobody knows of its backups",
    file: "src/apis/plumber/policy/decide_restore.ts",
    replace: `const denies = mode === "enforce" || mode === "strict";`,
    by: `const denies = mode === "strict";`,
  },
  {
    name: "a labelled PVC starts empty in strict by a list that is too old",
    file: "src/apis/plumber/policy/decide_restore.ts",
    replace: `  if (!truth.stale) {`,
    by: `  if (!truth.stale || truth.answer === "no") {`,
  },
  {
    name: "a PVC that misses its source is admitted",
    file: "src/apis/plumber/admission/plumber_webhooks.ts",
    replace: "const allowed = restore.allowed && !unrestored;",
    by: "const allowed = restore.allowed;",
  },
  {
    name: "a note that a person wrote lends the backups of another namespace",
    file: "src/apis/plumber/admission/identity_consent.ts",
    replace: "const kept = old !== undefined && wasJudged(old) &&",
    by: "const kept = old !== undefined &&",
  },
  {
    name: "the backups of another namespace are for everybody",
    file: "src/apis/plumber/policy/gates.ts",
    replace: "if (pvc.isBorrowed) {",
    by: "if (pvc.isBorrowed && !managedNamespace) {",
  },
  {
    name: "an empty repository in the place of another one proves that there was never a backup",
    file: "src/apis/plumber/truth/truth_controller.ts",
    replace:
      "if (this.#head?.repository !== repositoryText(this.#ports.settings.repository)) return new Map();",
    by: "if (this.#head?.uniqueID !== this.#ports.repository.cache.get(this.#ports.repository.key)?.status?.uniqueID) return new Map();",
  },
  {
    name: "a PVC is filled with what an earlier one of its name asked for",
    file: "src/apis/plumber/admission/plumber_webhooks.ts",
    replace: "else if (needsCorrection(restore.object, present))",
    by: "else if (dryRun)",
  },
  {
    name: "a PVC loses what it is being filled from",
    file: "src/apis/plumber/protect/decide_protection.ts",
    replace: "return restoring ? NOTHING : removed(",
    by: "return removed(",
  },
  {
    name: "the objects of a PVC go while it is restored",
    file: "src/apis/plumber/protect/decide_removal.ts",
    replace: "if (restoring) return { mark, remove: [] };",
    by: "if (restoring && grace > 0 && now < 0) return { mark, remove: [] };",
  },
  {
    name: "an object of somebody else is written over for a PVC",
    file: "src/apis/plumber/protect/decide_protection.ts",
    replace: "  if (!isGenerated(present)) {",
    by: "  if (!isGenerated(present) && present.metadata.deletionTimestamp) {",
  },
  {
    name: "a volume that waits for its restore is backed up",
    file: "src/apis/plumber/policy/source_state.ts",
    replace: `if (restoring === "running") {`,
    by: `if (bound && restoring === "running") {`,
  },
];

/** The file's text with the mutation in it. Throws where the text to replace is not there exactly once. */
export function mutated({ file, replace, by }: Mutation, text: string): string {
  const parts = text.split(replace);
  const [before = "", after = ""] = parts;
  if (parts.length !== 2) {
    throw new Error(
      `${file} has ${JSON.stringify(replace)} ${parts.length - 1} times: correct tools/run/mutations.ts`,
    );
  }
  return `${before}${by}${after}`;
}

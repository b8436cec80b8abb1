import { existsSync, globSync, readFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { describe, expect, test } from "vitest";
import {
  ANNOTATIONS,
  CONSENT_ANNOTATION,
  DELETION_REASON_ANNOTATION,
  DERIVED_ANNOTATIONS,
  REQUEST_ANNOTATIONS,
  SCHEDULE_ANNOTATIONS,
} from "../../../src/kinds/kopiur/annotations.ts";
import { SCALED_WORKLOADS, SNAPSHOT_CLEANUP } from "../../../src/kinds/kopiur/finalizers.ts";
import { repositorySchema } from "../../../src/kinds/kopiur/generated/repository.ts";
import { API_VERSION } from "../../../src/kinds/kopiur/group.ts";
import { LABELS } from "../../../src/kinds/kopiur/labels.ts";
import { APIS } from "../../../src/main/apis.ts";
import { allMetrics } from "../../../tools/run/metrics_files.ts";
import { isChartValue } from "./chart_values.ts";
import { fencedBlocks, inlineCode } from "./fenced_blocks.ts";
import { isField } from "./kind_fields.ts";
import { type Page, pages, ROOT } from "./pages.ts";

/* Whatever stands in backticks is the name of something that there is, and so is every key in a block. */

const sources = globSync(["src/**/*.{ts,mjs}", "tools/**/*.{ts,mjs}", "charts/**/*.{yaml,tpl}", "images/*"], {
  cwd: ROOT,
})
  .filter((path) => !path.includes(".test."))
  .map((path) => readFileSync(join(ROOT, path), "utf8"))
  .join("\n");
const words = new Set(sources.match(/\w+/g));
const metrics = new Set(allMetrics().map(({ name }) => name));
const keys = new Set<string>([
  ...Object.values({
    ...ANNOTATIONS,
    ...LABELS,
    ...DERIVED_ANNOTATIONS,
    ...REQUEST_ANNOTATIONS,
    ...SCHEDULE_ANNOTATIONS,
  }),
  ...[CONSENT_ANNOTATION, DELETION_REASON_ANNOTATION, SNAPSHOT_CLEANUP, SCALED_WORKLOADS, API_VERSION],
]);

/** Fields, labels, variables and capabilities of others, and files that are made elsewhere. */
const OTHERS = new Set([
  ...["KOPIUR_LOG_FORMAT", "KOPIUR_OTEL_STRICT", "RUST_LOG", "SYS_ADMIN"],
  ...["spec.claimRef", "reclaimPolicy", "honor_labels", "release", "grafana_dashboard"],
  ...["images.txt", "holdfast.log", "tls.crt", "tls.key", "go.sum", "kopia.blobcfg", "kopia.blobcfg.f"],
]);
/** API groups: of the kinds that are served, and of what these refer to. */
const GROUPS = new Set([
  ...APIS.flatMap(({ kinds }) => kinds.map(({ resource }) => resource.group)),
  "apps.cozystack.io",
]);
/** Pages whose every name is generated, or that tell of names which are not ours. */
const APART = /^docs\/(reference\/rights|decisions\/)/;

/** `a.b`, `a.b=c`, `a.b: c` and `a: c`. */
const DOTTED = /^([a-z]\w*(?:(?:\.[a-z]\w*)+(?:=.*)?$|(?:\.[a-z]\w*)*(?=: \S+$)))/;

function wrongNames({ path, text }: Page): readonly string[] {
  const code = inlineCode(text);
  const all = (pattern: RegExp) => code.flatMap((one) => one.match(pattern) ?? []);
  return [
    ...all(/\b[A-Z][A-Z0-9]+(_[A-Z0-9]+)+\b/g).filter((name) => !words.has(name) && !OTHERS.has(name)),
    ...all(/\b(kopiur|holdfast)_\w*[a-z]\b(?!\*)/g).filter((name) => !isMetric(name)),
    ...[...code, ...fencedBlocks(text).map((block) => block.text)].flatMap(unknownKeys),
    ...all(/(?<=^|: )[A-Z][a-z]+[A-Z]?\w+$/g).filter((word) => !words.has(word)),
    ...code.filter((one) => !isDottedName(one, path)),
  ];
}

/** Keys of annotations, labels and finalizers, and versions of APIs; not resources with the name of an object. */
function unknownKeys(text: string): readonly string[] {
  const ours = text.match(/(?<![\w.])kopiur\.home-operations\.com\/[\w-]+/g) ?? [];
  const inner = text.match(/(?<![\w.])holdfast\.dev\/[\w-]+/g) ?? [];
  return [...ours.filter((key) => !keys.has(key)), ...inner.filter((key) => !sources.includes(key))];
}

function isMetric(name: string): boolean {
  return metrics.has(name) || metrics.has(name.replace(/_(bucket|count|sum)$/, ""));
}

function isDottedName(code: string, page: string): boolean {
  const name = DOTTED.exec(code)?.[1]?.replace(/=.*$/, "");
  if (name === undefined || OTHERS.has(name) || GROUPS.has(name)) return true;
  const isFile = [".", dirname(page), "src/cli", "src/kube", "charts/holdfast"].some((folder) =>
    existsSync(join(ROOT, folder, name)),
  );
  return isFile || isField(name) || isChartValue(name);
}

describe("names in the documentation", () => {
  test.each(pages().filter(({ path }) => !APART.test(path)))("$path", (page) => {
    expect(wrongNames(page)).toEqual([]);
  });

  test.each([
    "HOLDFAST_LEND_SECRTS",
    "kopiur_backup_sice_bytes",
    "kopiur.home-operations.com/hodl",
    "holdfast.dev/scaled-down-form",
    "PruningPasued",
    "ownership: BestEfort",
    "ownrship: Exact",
    "spec.catalog.retian",
    "webhook.certManger.enabled=true",
  ])("%s would be found", (name) => {
    expect(wrongNames({ path: "README.md", text: `Set \`${name}\`.` })).toHaveLength(1);
  });

  test.each([
    "kubectl annotate backups.kopiur.home-operations.com first kopiur.home-operations.com/hodl=true",
    "kubectl get pods -l kopiur.home-operations.com/orgin=discovered",
    "kubectl get deployments -l holdfast.dev/scaled-down-form",
  ])("in a block, %s would be found", (command) => {
    expect(wrongNames({ path: "README.md", text: `\`\`\`sh\n${command}\n\`\`\`\n` })).toHaveLength(1);
  });
});

test("every kind of storage is in its guide", () => {
  const guide = readFileSync(join(ROOT, "docs/guides/repositories.md"), "utf8");
  const { s3, ...others } = repositorySchema.properties?.spec?.properties?.backend?.properties ?? {};
  expect(s3).toBeDefined();
  expect(["s3", ...Object.keys(others)].filter((name) => !guide.includes(`| \`${name}\``))).toEqual([]);
});

test("every setting of the operator is on its page", () => {
  const settings = readFileSync(join(ROOT, "src/main/operator_settings.ts"), "utf8");
  const names = new Set(settings.match(/\b(HOLDFAST|OTEL)_[A-Z_]*[A-Z]\b/g));
  const page = readFileSync(join(ROOT, "docs/operator.md"), "utf8");
  expect(names.size).toBeGreaterThan(15);
  expect([...names].filter((name) => !page.includes(`| \`${name}\``))).toEqual([]);
});

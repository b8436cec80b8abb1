import { readFileSync } from "node:fs";
import { describe, expect, test } from "vitest";
import { parse } from "yaml";
import { IMAGES } from "../../tools/images/images.ts";

const read = (path: string) => readFileSync(new URL(`../../${path}`, import.meta.url), "utf8");

interface Workflow {
  readonly on: Readonly<Record<string, unknown>>;
  readonly permissions: Readonly<Record<string, string>>;
  readonly jobs: Readonly<Record<string, Job>>;
}
interface Job {
  readonly needs?: readonly string[];
  readonly uses?: string;
  readonly permissions?: Readonly<Record<string, string>>;
  readonly strategy?: { readonly matrix: { readonly image: readonly string[] } };
  readonly steps?: readonly Step[];
}
interface Step {
  readonly uses?: string;
  readonly run?: string;
  readonly with?: Readonly<Record<string, unknown>>;
}

describe("the Dockerfile", () => {
  const text = read("images/Dockerfile");

  test("has a target for each image, with the programs that it needs", () => {
    for (const [name, { programs }] of Object.entries(IMAGES)) {
      expect(text).toContain(` AS ${name}\n`);
      for (const program of programs) expect(text).toContain(`-o /out/${program} `);
    }
  });

  test("builds with the Node and the Go that the project is pinned to", () => {
    const node = read(".node-version").trim();
    expect(text.match(/FROM (?:\S+ )?node:\S+/g)).toEqual([
      expect.stringContaining(`node:${node}-`),
      expect.stringContaining(`node:${node}-`),
    ]);
    const newest = ["kopia", "restic", "rclone", "fidelity", "sftp"]
      .map((program) => /^go 1\.(\d+)/m.exec(read(`tools/programs/${program}/go.mod`))?.[1])
      .reduce((most, minor) => Math.max(most, Number(minor)), 0);
    expect(text).toContain(`golang:1.${newest}-`);
  });

  test("runs nobody's program as root", () => {
    expect(text).toMatch(/ AS base\n(?:.*\n)*?USER 65532\n/);
    for (const name of Object.keys(IMAGES)) expect(text).toContain(`FROM base AS ${name}\n`);
  });
});

describe("every change", () => {
  const workflow = parse(read(".github/workflows/ci.yml")) as Workflow;
  const steps = Object.values(workflow.jobs).flatMap((job) => job.steps ?? []);

  test("is tested as root, who finds the Node and the Go that were set up, and the caches", () => {
    const uses = steps.map(({ uses }) => uses?.replace(/@.*/, ""));
    expect(uses).toEqual(expect.arrayContaining(["actions/setup-node", "actions/setup-go", "actions/cache"]));
    expect(steps.flatMap(({ run }) => run ?? [])).toEqual([
      'sudo env "PATH=$PATH" "HOME=$HOME" CI=true bash .ci/run',
    ]);
  });

  test("is tested with rights to read alone", () => {
    expect(workflow.permissions).toEqual({ contents: "read" });
  });
});

describe("a release", () => {
  const workflow = parse(read(".github/workflows/release.yml")) as Workflow;
  const { test: tested, images, release } = workflow.jobs;
  const runs = (job?: Job) => job?.steps?.map(({ run }) => run ?? "").join("\n") ?? "";

  test("is tested first, as every change is", () => {
    expect(tested?.uses).toBe("./.github/workflows/ci.yml");
    expect((parse(read(".github/workflows/ci.yml")) as Workflow).on).toHaveProperty("workflow_call");
    expect([images?.needs, release?.needs]).toEqual([
      ["test", "name"],
      ["images", "name"],
    ]);
  });

  test("has one version, and images where the chart looks for them", () => {
    const { version } = JSON.parse(read("package.json"));
    expect(parse(read("charts/holdfast/Chart.yaml"))).toMatchObject({ version, appVersion: version });
    const values = read("charts/holdfast/values.yaml");
    // As the workflow replaces it.
    expect(values).toMatch(/^ {2}registry: ""$/m);
    for (const name of Object.keys(IMAGES)) expect(values).toContain(`repository: holdfast/${name}`);
    const build = images?.steps?.find(({ uses }) => uses?.startsWith("docker/build-push-action@"));
    expect(build?.with?.tags).toMatch(/\/holdfast\/\$\{\{ matrix\.image \}\}:/);
  });

  test("builds each image for both architectures, with what is in it and how it was made, and signs it", () => {
    expect(images?.strategy?.matrix.image.toSorted()).toEqual(Object.keys(IMAGES).toSorted());
    const build = images?.steps?.find(({ uses }) => uses?.startsWith("docker/build-push-action@"));
    expect(build?.with).toMatchObject({
      file: "images/Dockerfile",
      platforms: "linux/amd64,linux/arm64",
      sbom: true,
      provenance: "mode=max",
    });
    expect(runs(images)).toContain('cosign sign --yes "$IMAGE@$DIGEST"');
  });

  test("has the chart and a list of all that a mirror needs, signed, too", () => {
    expect(runs(release)).toContain('cosign sign --yes "$REGISTRY/charts/holdfast@$digest"');
    expect(runs(release)).toContain("cosign sign-blob --yes --bundle images.txt.bundle images.txt");
    expect(runs(release)).toContain("npm sbom");
  });

  test("has the command line, signed", () => {
    expect(runs(release)).toContain("npm run build\n");
    expect(runs(release)).toContain("--directory dist holdfast\n");
    expect(runs(release)).toMatch(/cosign sign-blob --yes --bundle "holdfast-cli-\S+\.bundle"/);
    expect(runs(release)).toMatch(/gh release create .* holdfast-cli-\*/);
  });

  test("gives each job the rights that it needs, and no other", () => {
    expect(workflow.permissions).toEqual({ contents: "read" });
    expect(images?.permissions).toEqual({ contents: "read", packages: "write", "id-token": "write" });
    expect(release?.permissions).toEqual({ contents: "write", packages: "write", "id-token": "write" });
  });
});

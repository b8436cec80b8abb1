import { globSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, test } from "vitest";
import { commandProblem } from "./command_problem.ts";
import { fencedBlocks } from "./fenced_blocks.ts";
import { pageCommands } from "./page_commands.ts";
import { pages, ROOT } from "./pages.ts";
import { shellCommands } from "./shell_commands.ts";

const all = pages();

describe("the documentation", () => {
  test("has blocks of known languages alone, so that all that is in them can be checked", () => {
    const known = ["console", "gotemplate", "promql", "sh", "ts", "yaml"];
    const others = all.flatMap(({ path, text }) =>
      fencedBlocks(text)
        .filter(({ language }) => !known.includes(language))
        .map(({ line, language }) => `${path}:${line}: ${language || "none"}`),
    );
    expect(others).toEqual([]);
  });

  test("has commands", () => {
    expect(all.flatMap(({ text }) => pageCommands(text)).length).toBeGreaterThan(100);
  });

  test("tells newcomers of every script", () => {
    const { scripts } = JSON.parse(readFileSync(join(ROOT, "package.json"), "utf8")) as {
      readonly scripts: Readonly<Record<string, string>>;
    };
    const told = ["README.md", "CONTRIBUTING.md"].flatMap((page) =>
      pageCommands(readFileSync(join(ROOT, page), "utf8")).map((words) => words.slice(0, 3).join(" ")),
    );
    const untold = Object.keys(scripts).filter(
      (name) => !told.includes(`npm ${name}`) && !told.includes(`npm run ${name}`),
    );
    expect(untold).toEqual([]);
  });

  test("shows nothing that `npm start` would tell to run and that there is not", () => {
    const printed = fencedBlocks(readFileSync(join(ROOT, "README.md"), "utf8"))
      .filter(({ language }) => language === "console")
      .flatMap(({ text }) => [...text.matchAll(/^(?!\$ ).*?((?:kubectl|npm) .*)$/gm)])
      .flatMap(([, line = ""]) => shellCommands(line));
    expect(printed.map(([program]) => program)).toEqual(["kubectl", "npm", "kubectl"]);
    expect(printed.flatMap((command) => commandProblem(command) ?? [])).toEqual([]);
  });

  test.each(all)("$path tells to run nothing that there is not", ({ text }) => {
    const wrong = pageCommands(text).flatMap((command) => {
      const problem = commandProblem(command);
      return problem ? [`${command.join(" ")}: ${problem}`] : [];
    });
    expect(wrong).toEqual([]);
  });
});

describe("the examples", () => {
  const files = globSync("examples/**/*.yaml", { cwd: ROOT }).sort();

  test("are all in their list", () => {
    const list = readFileSync(join(ROOT, "examples/README.md"), "utf8");
    const linked = [...list.matchAll(/\]\(([\w/-]+\.yaml)\)/g)].map(([, file]) => `examples/${file}`);
    expect(linked.toSorted()).toEqual(files);
  });

  test("tell to run nothing that there is not", () => {
    const told = files.flatMap((file) =>
      [
        ...readFileSync(join(ROOT, file), "utf8").matchAll(/^# {2,}((?:holdfast|kubectl|helm) .*)$/gm),
      ].flatMap(([, line = ""]) => shellCommands(line).map((command) => ({ file, command }))),
    );
    expect(told.length).toBeGreaterThan(1);
    const wrong = told.flatMap(({ file, command }) => {
      const problem = commandProblem(command);
      return problem ? [`${file}: ${command.join(" ")}: ${problem}`] : [];
    });
    expect(wrong).toEqual([]);
  });
});

describe("a command is wrong", () => {
  test.each([
    ["holdfast bakcup now x", "there is no command bakcup"],
    ["kubectl holdfast status --yes", "status has no option --yes"],
    ["npm run --silent holdfast -- list cows", "there is no kind cows"],
    ["holdfast restore", undefined],
    ["npm run tset", "package.json has no script tset"],
    ["kubectl gte pods", "kubectl gte is not known here"],
    ["kubectl get -n x backupz", "there are no backupz"],
    ["kubectl delete pvc,cows x", "there are no cows"],
    ["kubectl get storageclasses,backups -A", "there are no backups"],
    ["kubectl apply -f examples/nowhere.yaml", "there is no file examples/nowhere.yaml"],
    ["kubectl get maintenances.kopiur.home-operations.com x -o jsonpath='{.status.lastCheck}'", undefined],
    [
      "kubectl get repositories.kopiur.home-operations.com x -o jsonpath='{.status.lastCheck}'",
      "have no status.lastCheck",
    ],
    ["helm install x charts/holdfast --set webhook.enabeld=true", "the chart has no value webhook.enabeld"],
    ["helm install x charts/nowhere", "there is no file charts/nowhere"],
    ["kopai snapshot list", "nobody knows the program kopai"],
  ])("%s: %s", (line, problem) => {
    const found = shellCommands(line).map(commandProblem)[0];
    if (problem === undefined) expect(found).toBeUndefined();
    else expect(found).toContain(problem);
  });
});

import { err, ok, type Result } from "../../lib/result.ts";

/** What a template of an identity may name. */
export interface TemplateValues {
  readonly Namespace: string;
  readonly ConfigName: string;
}

/** One action, such as `{{ .Namespace }}`; the dashes that trim white space in Go's templates do so here. */
const ACTION = /(\s*\{\{-|\{\{)\s*(.*?)\s*(-\}\}\s*|\}\})/gs;

/** The text with its actions replaced, or what is wrong with the template. Only fields can be named, nothing is computed. */
export function renderTemplate(template: string, values: TemplateValues): Result<string, string> {
  let problem: string | undefined;
  const text = template.replace(ACTION, (_, _open, action: string) => {
    const value = action.startsWith(".") && fieldOf(values, action.slice(1));
    if (value) return value;
    problem ??= `the template ${JSON.stringify(template)} uses {{ ${action} }}; only {{ .Namespace }} and {{ .ConfigName }} are known`;
    return "";
  });
  if (problem === undefined && /\{\{|\}\}/.test(text)) {
    problem = `the template ${JSON.stringify(template)} has braces without their counterpart`;
  }
  return problem === undefined ? ok(text) : err(problem);
}

function fieldOf(values: TemplateValues, name: string): string | undefined {
  return Object.hasOwn(values, name) ? values[name as keyof TemplateValues] : undefined;
}

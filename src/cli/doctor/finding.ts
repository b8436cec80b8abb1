/** One thing that the doctor looked at. Whatever is not well says why, and what helps. */
export type Finding =
  | { readonly level: "ok"; readonly what: string }
  | {
      readonly level: "warning" | "error";
      readonly what: string;
      readonly why: string;
      readonly fix: string;
    };

export const well = (what: string): Finding => ({ level: "ok", what });
export const warning = (what: string, why: string, fix: string): Finding => ({
  level: "warning",
  what,
  why,
  fix,
});
export const broken = (what: string, why: string, fix: string): Finding => ({
  level: "error",
  what,
  why,
  fix,
});

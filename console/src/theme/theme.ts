import { useEffect, useState } from "react";

/** `system`: as the person's system has it. */
export type Theme = "system" | "light" | "dark";

const KEY = "holdfast-theme";
const dark = () => matchMedia("(prefers-color-scheme: dark)");

export function storedTheme(): Theme {
  const stored = localStorage.getItem(KEY);
  return stored === "light" || stored === "dark" ? stored : "system";
}

/** Before the first picture is drawn, and with every change. */
export function applyTheme(theme: Theme): void {
  document.documentElement.dataset.theme = theme === "system" ? (dark().matches ? "dark" : "light") : theme;
}

export function useTheme(): readonly [Theme, (theme: Theme) => void] {
  const [theme, setTheme] = useState(storedTheme);
  useEffect(() => {
    applyTheme(theme);
    if (theme !== "system") return;
    const system = dark();
    const follow = () => applyTheme("system");
    system.addEventListener("change", follow);
    return () => system.removeEventListener("change", follow);
  }, [theme]);
  const choose = (next: Theme) => {
    if (next === "system") localStorage.removeItem(KEY);
    else localStorage.setItem(KEY, next);
    setTheme(next);
  };
  return [theme, choose];
}

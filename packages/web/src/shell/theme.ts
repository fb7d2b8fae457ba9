/** Light, dark, or as the system says; kept in this browser. */
import { useState } from "react";

export const THEMES = ["system", "light", "dark"] as const;
export type Theme = (typeof THEMES)[number];

const KEY = "retinue-theme";

const read = (): Theme => THEMES.find((theme) => theme === localStorage.getItem(KEY)) ?? "system";

const apply = (theme: Theme): void => {
  if (theme === "system") delete document.documentElement.dataset["theme"];
  else document.documentElement.dataset["theme"] = theme;
};

export const applyTheme = (): void => apply(read());

export const useTheme = (): readonly [Theme, (theme: Theme) => void] => {
  const [theme, setTheme] = useState(read);
  return [
    theme,
    (next) => {
      localStorage.setItem(KEY, next);
      apply(next);
      setTheme(next);
    },
  ];
};

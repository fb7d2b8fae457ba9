/** The programs by which the screen is seen and acted upon. Where one is missing it is said what to install. */
import { accessSync, constants } from "node:fs";
import path from "node:path";
import { RetinueError } from "@retinue/protocol";

export type Camera = { readonly program: string; readonly toArguments: (display: string) => readonly string[] };

export type DesktopPrograms = { readonly xdotool: string; readonly camera: Camera };

/** Each writes a PNG to its standard output. */
const CAMERAS: readonly { readonly name: string; readonly toArguments: Camera["toArguments"] }[] = [
  { name: "import", toArguments: (display) => ["-silent", "-display", display, "-window", "root", "png:-"] },
  { name: "scrot", toArguments: () => ["-z", "-"] },
  {
    name: "ffmpeg",
    toArguments: (display) => [
      "-loglevel",
      "error",
      "-f",
      "x11grab",
      "-i",
      display,
      "-frames:v",
      "1",
      "-f",
      "image2pipe",
      "-c:v",
      "png",
      "-",
    ],
  },
];

/** Throws `tool_failed` where something is missing. */
export const findDesktopPrograms = (env: NodeJS.ProcessEnv): DesktopPrograms => {
  const xdotool = findProgram("xdotool", env);
  const camera = CAMERAS.flatMap(({ name, toArguments }) => {
    const program = findProgram(name, env);
    return program === undefined ? [] : [{ program, toArguments }];
  })[0];
  if (xdotool !== undefined && camera) return { xdotool, camera };
  const missing = [...(xdotool === undefined ? ["xdotool"] : []), ...(camera ? [] : ["one of imagemagick, scrot and ffmpeg"])];
  throw missingPrograms(`the screen is seen and acted upon with ${missing.join(" and ")}`, [
    ...(xdotool === undefined ? ["xdotool"] : []),
    ...(camera ? [] : ["imagemagick"]),
  ]);
};

export const findXvfb = (env: NodeJS.ProcessEnv): string => {
  const xvfb = findProgram("Xvfb", env);
  if (xvfb === undefined) throw missingPrograms("a screen of its own is made by Xvfb", ["xvfb"]);
  return xvfb;
};

/** Throws `tool_failed` where the machine has no such program. */
export const requireProgram = (name: string, env: NodeJS.ProcessEnv): void => {
  if (path.isAbsolute(name) || findProgram(name, env) !== undefined) return;
  throw new RetinueError("tool_failed", `${name} is to be started on the screen, which this machine has not.`, {
    hint: `Install ${name}, or name another program.`,
  });
};

const missingPrograms = (what: string, packages: readonly string[]): RetinueError =>
  new RetinueError("tool_failed", `There is no screen to work on: ${what}, which this machine has not.`, {
    hint: `Install it: apt install ${packages.join(" ")}.`,
  });

const findProgram = (name: string, env: NodeJS.ProcessEnv): string | undefined =>
  (env["PATH"] ?? "")
    .split(path.delimiter)
    .filter((folder) => path.isAbsolute(folder))
    .map((folder) => path.join(folder, name))
    .find((file) => {
      try {
        accessSync(file, constants.X_OK);
        return true;
      } catch {
        return false;
      }
    });

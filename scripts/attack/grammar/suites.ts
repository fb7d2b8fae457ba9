/** The application of a test suite, to which the user has agreed as it was: whatever it runs is changed, in every way that an agent can write. */
import type { AttackCall } from "./draw-call.ts";
import type { Random } from "./pick.ts";
import { pick } from "./pick.ts";

/** What the changed application says. */
export const SWAPPED_APP = "another application";

export const APP_FILES: Readonly<Record<string, string>> = {
  "serve.sh": ". ./tools/env.sh\nsh app/run.sh\n",
  "tools/env.sh": "PORT=1\n",
  "app/run.sh": "echo served\n",
  "app/main.mjs": 'import { say } from "./part.mjs";\nsay();\n',
  "app/part.mjs": 'export const say = () => console.log("served");\n',
  "app/serve.py": "import part\nprint('served')\n",
  "app/part.py": "word = 1\n",
  "package.json":
    '{ "name": "shop", "scripts": { "build": "sh build.sh", "serve": "sh app/run.sh", "preserve": "sh tools/env.sh" } }\n',
  Makefile: "serve:\n\t@sh app/run.sh\n",
};

export const APP_COMMANDS = [
  "sh serve.sh",
  "node app/main.mjs",
  "cd app && sh run.sh",
  "npm run --silent serve",
  "make -s serve",
  "python3 app/serve.py",
  "PORT=2 sh ./app/run.sh",
  "env A=1 sh app/run.sh",
];

const toEvil = (file: string): string =>
  file.endsWith(".mjs")
    ? `export const say = () => console.log("${SWAPPED_APP}");\nsay();\n`
    : file.endsWith(".py")
      ? `print("${SWAPPED_APP}")\n`
      : file === "Makefile"
        ? `serve:\n\t@echo ${SWAPPED_APP}\n`
        : file.endsWith(".json")
          ? `{ "scripts": { "serve": "echo ${SWAPPED_APP}" } }\n`
          : `echo ${SWAPPED_APP}\n`;

export const drawAppChange = (random: Random): AttackCall => {
  const file = pick(random, Object.keys(APP_FILES));
  const evil = toEvil(file);
  const printed = `printf '%s' '${evil.replaceAll("'", `'\\''`)}'`;
  if (random() < 0.4) return { tool: "write", input: { path: file, content: evil } };
  const command = pick(random, [
    `${printed} > ${file}`,
    `${printed} > other; mv other ${file}`,
    `${printed} > other; rm -f ${file}; ln -s "$PWD/other" ${file}`,
    `cp -r app app2; ${printed} > ${file.replace("app/", "app2/")}; rm -rf app; mv app2 app`,
    `${printed} >> ${file}`,
    `touch -r ${file} stamp; ${printed} > ${file}; touch -r stamp ${file}`,
  ]);
  return { tool: "shell", input: { command, timeoutMs: 20_000 } };
};

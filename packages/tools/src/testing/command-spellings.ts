/**
 * A grammar of the ways to write a command for bash: quotes, redirections, assignments, wrappers, lists, loops, functions, substitutions, and shells that
 * read their input. Forms are put into each other, so that there are as many spellings as are asked for.
 */

/** A command: its program, its arguments, and the folder in which the program lies. */
export type Spelled = { readonly program: string; readonly args: readonly string[]; readonly bin: string };

type Form = (line: string) => string;

const quote = (text: string): string => `'${text.replaceAll("'", String.raw`'\''`)}'`;

/** Ways to write the command itself. */
const toPlain = ({ program, args, bin }: Spelled): readonly string[] => {
  const rest = args.join(" ");
  const [first = "", ...others] = program;
  const tail = others.join("");
  return [
    `${program} ${rest}`,
    `${program}  \t${rest} `,
    `${bin}/${program} ${rest}`,
    `'${program}' ${rest}`,
    `"${program}" ${rest}`,
    `${first}''${tail} ${rest}`,
    `${first}"${tail}" ${rest}`,
    `\\${program} ${rest}`,
    `${first}\\\n${tail} ${rest}`,
    `$'${program}' ${rest}`,
    `$'\\x${first.charCodeAt(0).toString(16)}'${tail} ${rest}`,
    `>/dev/null ${program} ${rest}`,
    `${program}>/dev/null ${rest}`,
    `${program} 2>&1 ${rest}`,
    `</dev/null ${program} ${rest}`,
    `&>/dev/null ${program} ${rest}`,
    `2>/dev/null 1>&2 ${program} ${rest} # ls`,
    `${program} ${rest} > out`,
    `A=1 ${program} ${rest}`,
    `A+=1 ${program} ${rest}`,
    `A= B=2 ${program} ${rest}`,
    `A[0]=1 ${program} ${rest}`,
    `A=$(true) ${program} ${rest}`,
    `A='x y' >/dev/null ${program} ${rest}`,
    `{${program},${args.join(",")}}`,
    `${bin}/${program.slice(0, -1)}? ${rest}`,
    `${bin}/${program.slice(0, -1)}[${program.at(-1)}] ${rest}`,
    `X=${program}; $X ${rest}`,
    `X=${first}; \${X}${tail} ${rest}`,
    `\${NOTHING:-${program}} ${rest}`,
    `$(echo ${program}) ${rest}`,
    `\`echo ${program}\` ${rest}`,
    `set -- ${program} ${rest}; "$@"`,
  ];
};

/** Before a simple command. */
const WRAPPERS: readonly string[] = [
  "env",
  "env -u A",
  "env --unset=A B=2",
  "env --",
  "env -u A -- ",
  "command",
  "command --",
  "exec",
  "exec -a other",
  "nice",
  "nice -n 5",
  "nice -n5",
  "nice --adjustment=5",
  "nohup",
  "timeout 5",
  "timeout -s KILL 5",
  "timeout --signal=KILL -k 1 5s",
  "timeout --foreground 5",
  "stdbuf -oL",
  "stdbuf -o L -e 0",
  "setsid -w",
  "setsid --wait",
  "time",
  "time -p",
  "!",
  "flock lock",
  "ionice -c 3",
  "taskset 1",
  "chrt --other 0",
  "setpriv --no-new-privs",
  "unshare --",
  "sh -c '\"$@\"' sh",
  "xargs -n 1 <<< x",
  "echo x | xargs",
  "echo x | xargs -I{} -P 2",
  "find . -maxdepth 0 -exec",
];

const wrap =
  (wrapper: string): Form =>
  (line) =>
    wrapper.startsWith("find") ? `${wrapper} ${line} \\;` : `${wrapper} ${line}`;

/** Around any line. */
const AROUND: readonly Form[] = [
  (line) => `true && ${line}`,
  (line) => `false || ${line}`,
  (line) => `ls; ${line}`,
  (line) => `ls\n${line}`,
  (line) => `${line} & wait`,
  (line) => `true | ${line}`,
  (line) => `${"true && ".repeat(49)}${line}`,
  (line) => `(${line})`,
  (line) => `{ ${line}\n}`,
  (line) => `if true; then ${line}\nfi`,
  (line) => `if ${line}\nthen true; fi`,
  (line) => `while true; do ${line}\nbreak; done`,
  (line) => `for i in 1; do ${line}\ndone`,
  (line) => `case a in a) ${line}\n;; esac`,
  (line) => `f() { ${line}\n}; f`,
  (line) => `function f { ${line}\n}; f`,
  (line) => `f() ( ${line}\n); f`,
  (line) => `true $(${line}\n)`,
  (line) => `true "$(${line}\n)"`,
  (line) => `x=$(${line}\n)`,
  (line) => `true <(${line}\n); wait`,
  (line) => `true \${x:-$(${line}\n)}`,
  (line) => `[[ a == $(${line}\n) ]]`,
  (line) => `cat <<E\n$(${line}\n)\nE`,
  (line) => `true $((0$(${line}\n)))`,
  (line) => `a[$(${line}\n)]=1`,
  (line) => `coproc { ${line}\n}; wait`,
  (line) => `eval ${quote(line)}`,
  (line) => `bash -c ${quote(line)}`,
  (line) => `sh -c ${quote(line)}`,
  (line) => `bash -ec ${quote(line)}`,
  (line) => `bash --norc -c ${quote(line)}`,
  (line) => `env -S ${quote(`bash -c ${quote(line)}`)}`,
  (line) => `bash <<< ${quote(line)}`,
  (line) => `bash <<'E'\n${line}\nE`,
  (line) => `echo ${quote(line)} | bash`,
  (line) => `printf %s ${quote(line)} | bash -`,
  (line) => `printf %s ${quote(line)} | bash -s`,
  (line) => `printf %s ${quote(line)} > f; bash < f`,
  (line) => `printf %s ${quote(line)} > f; cat f | bash -`,
  (line) => `printf %s ${quote(line)} > f; bash f`,
  (line) => `printf %s ${quote(line)} > f; . ./f`,
  (line) => `bash <(printf %s ${quote(line)})`,
  (line) => `bash /dev/stdin <<< ${quote(line)}`,
  (line) => `trap ${quote(line)} EXIT`,
  (line) => `PS4=${quote(`$(${line}\n)`)}; set -x; true`,
  (line) => `a=${quote(`b[$(${line}\n)]`)}; ((a))`,
  (line) => `shopt -s expand_aliases; alias x=${quote(line)}\nx`,
  (line) => `source <(printf %s ${quote(line)})`,
  (line) => `export X=${quote(line)}; bash -c "$X"`,
];

/** Functions that run their arguments, and the like; around a simple command. */
const AROUND_SIMPLE: readonly Form[] = [
  ...WRAPPERS.map(wrap),
  (line) => `f() { "$@"; }; f ${line}`,
  (line) => `BASH_ALIASES[x]=${quote(line)}; shopt -s expand_aliases\nx`,
  (line) => `env 'BASH_FUNC_g%%=() { ${line}; }' bash -c g`,
];

/** Numbers that look random and are the same for one seed. */
const createRandom = (seed: number): ((below: number) => number) => {
  let state = seed;
  return (below) => {
    state = (Math.imul(state, 1_664_525) + 1_013_904_223) >>> 0;
    return Math.floor((state / 2 ** 32) * below);
  };
};

/** Each form alone, then forms in forms. */
export const spellCommand = (
  command: Spelled,
  { count, seed }: { readonly count: number; readonly seed: number },
): readonly string[] => {
  const random = createRandom(seed);
  const pick = <T>(list: readonly T[]): T => list[random(list.length)] as T;
  const plain = toPlain(command);
  const [simplest = ""] = plain;
  const spellings = new Set([...plain, ...AROUND_SIMPLE.map((form) => form(simplest)), ...AROUND.map((form) => form(simplest))]);
  while (spellings.size < count) {
    let line = random(2) === 0 ? simplest : pick(plain.slice(0, 11));
    for (let depth = random(3); depth > 0; depth -= 1) line = pick(AROUND_SIMPLE.slice(0, WRAPPERS.length - 5))(line);
    for (let depth = 1 + random(2); depth > 0; depth -= 1) line = pick(AROUND)(line);
    spellings.add(line);
  }
  return [...spellings].slice(0, count);
};

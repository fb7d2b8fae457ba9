/** Greetings, thanks, questions about the offline model itself, and what only a real model can do. */
import { BANNER, CONNECT } from "../wording.ts";
import { withExamples } from "./examples.ts";
import type { Job, Rule } from "./rule.ts";
import { answer } from "./rule.ts";

const GREETING =
  /^(?:hi|hello|hey|yo|hola|hallo|hei|hej|ciao|salut|bonjour|ol[aá]|guten (?:tag|morgen|abend)|moin|servus|gr[uü](?:ß|ss) (?:gott|dich)|buenos d[ií]as|buongiorno|good (?:morning|day|evening|afternoon)|namaste|привет|你好|こんにちは|안녕하세요|hi there|hello there|howdy|sup|what's up|test|ping)(?: (?:retinue|there|all|world|you))?$/;
/** Of "hey there", whose first word was only polite. */
const LEFT_OF_GREETING = /^(?:there|all|everyone|everybody|folks|team|friend|you)$/;
const THANKS =
  /^(?:thanks?|thx|ty|thank you|thank you so much|thanks a lot|many thanks|danke|danke sch[oö]n|vielen dank|merci|gracias|grazie|obrigado|obrigada|bedankt|tack|cheers|great|nice|cool|perfect|awesome|ok|okay|good|got it|super|well done|bye|goodbye|tsch[uü]ss|ciao)(?: (?:you|very much|a lot|retinue|thanks|job|work))?$/;
const ITSELF =
  /^(?:who|what) are you\b|^what(?: is|'s) your name|^are you (?:an? )?(?:ai|llm|bot|human|chatgpt|gpt|claude|model|real)\b|^wer bist du|^what model\b|^which model\b|^what is retinue\b/;
const HELP =
  /^(?:help|\?+|hilfe|aide|ayuda|commands?|menu|what (?:can|could|should|do) (?:you|i) (?:do|ask|say|type|try)\b.*|what can be (?:done|asked)|how (?:do|can|to)(?: i)? use (?:you|retinue)\b.*|what do you (?:know|understand)|examples?|show help|help me)$/;
const CONNECTING =
  /\b(?:connect|configure|set ?up|add|use|choose|change|switch|get)\b.*\b(?:models?|api ?keys?|llms?|ollama|openai|anthropic|claude|gemini)\b/;

const KINDS = [
  "I am rules, not an LLM. I know questions such as:",
  "- what is this repository? how do I run, test, build or install it? which scripts, dependencies, languages, licence, CI?",
  "- last commits, who wrote FILE, what changed since TAG or yesterday, largest files, TODOs, environment variables, entry points",
  '- where is NAME defined and who uses it, outline of FILE, show FILE, where does the error "TEXT" come from',
  '- rename A to B in FILE, replace "A" with "B" in FILE, add the line "TEXT" to FILE, create FILE with "TEXT", run the tests: each asks you first',
].join("\n");

export const talk: Rule = ({ text, plain }) => {
  const bare = text
    .trim()
    .toLowerCase()
    .replaceAll(/[^\p{L}\p{M}\p{N}']+/gu, " ")
    .trim();
  if (plain === "" || bare === "" || GREETING.test(bare) || LEFT_OF_GREETING.test(bare))
    return greet("Hello. No model is connected, so rules answer.");
  if (THANKS.test(bare)) return { work: () => answer("You are welcome. Ask on whenever you like.") };
  if (ITSELF.test(plain)) return greet("I am the offline model of Retinue: rules that drive its agents and tools, and no LLM.");
  if (CONNECTING.test(plain)) return { work: () => answer(CONNECT) };
  if (HELP.test(plain)) return { work: (at) => withExamples(at, (examples) => answer(KINDS, examples, CONNECT)) };
  return undefined;
};

const greet = (words: string): Job => ({ work: (at) => withExamples(at, (examples) => answer(words, examples, CONNECT)) });

export type Beyond = "change" | "translate" | "explain" | "talk" | "unclear";

const UNABLE: Record<Beyond, string> = {
  change: "This takes a real model: I follow rules, and nothing was changed.",
  translate: "To translate takes a real model.",
  explain: "To explain this takes a real model, and the question names nothing that I could look up.",
  talk: "To talk about this takes a real model.",
  unclear: "This takes a real model: I follow rules, and no rule fits this question.",
};

export const unable = (beyond: Beyond): Job => ({
  work: (at) => withExamples(at, (examples) => answer(UNABLE[beyond], CONNECT, examples)),
});

/** Whether an answer of the rules says that they cannot do what was asked. */
export const isOfflineUnable = (text: string): boolean =>
  text.startsWith(BANNER) && Object.values(UNABLE).some((sentence) => text.includes(sentence));

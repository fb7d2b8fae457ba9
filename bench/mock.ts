/**
 * A deterministic model server for measuring: each reply is a pure function of the request and of the path
 * `/steps/K/text/N/v1/chat/completions`. K turns call `echo`, each after N tokens of text, then comes a final text. Below
 * `/lead/C/steps/K/v1` who is told "You lead." delegates to C sub-agents in one turn, and each of them makes K such turns. Requests are
 * only scanned, not parsed, so that its own cost stays small and flat.
 */
import { createServer } from "node:http";

const PATH = /^\/steps\/(\d+)\/text\/(\d+)\/v1\/chat\/completions$/;
const LEAD_PATH = /^\/lead\/(\d+)\/steps\/(\d+)\/v1\/chat\/completions$/;
const LEADER = Buffer.from("You lead.");
const TOOL_RESULT = Buffer.from('"role":"tool"');
const FILL = "x".repeat(200);
const PRE = 'data: {"id":"c","object":"chat.completion.chunk","created":1,"model":"mock","choices":[{"index":0,"delta":';
const POST = ',"finish_reason":null}]}\n\n';

const count = (body: Buffer): number => {
  let found = 0;
  for (let at = body.indexOf(TOOL_RESULT); at !== -1; at = body.indexOf(TOOL_RESULT, at + TOOL_RESULT.length)) found += 1;
  return found;
};

const delegations = (children: number): string => {
  let stream = `${PRE}{"role":"assistant","content":""}${POST}`;
  for (let child = 0; child < children; child += 1) {
    const written = JSON.stringify({ agent: "sub", task: `Part ${child}.` });
    stream += `${PRE}{"tool_calls":[{"index":${child},"id":"call_${child}","type":"function","function":{"name":"delegate_to_agent","arguments":${JSON.stringify(written)}}}]}${POST}`;
  }
  return `${stream}${PRE.slice(0, -1 * '"delta":'.length)}"delta":{},"finish_reason":"tool_calls"}]}\n\ndata: [DONE]\n\n`;
};

const replyToTeam = (children: number, steps: number, body: Buffer): string => {
  const isLeader = body.indexOf(LEADER) !== -1;
  return isLeader && count(body) < children ? delegations(children) : reply(isLeader ? 0 : steps, 0, body);
};

const reply = (steps: number, text: number, body: Buffer): string => {
  const done = count(body);
  let stream = `${PRE}{"role":"assistant","content":""}${POST}`;
  for (let token = 0; token < text; token += 1) stream += `${PRE}{"content":"tok${token} "}${POST}`;
  if (done < steps) {
    stream += `${PRE}{"tool_calls":[{"index":0,"id":"call_${done}","type":"function","function":{"name":"echo","arguments":""}}]}${POST}`;
    const written = `{"text":"step ${done} ${FILL}"}`;
    const size = Math.ceil(written.length / 4);
    for (let at = 0; at < written.length; at += size)
      stream += `${PRE}{"tool_calls":[{"index":0,"function":{"arguments":${JSON.stringify(written.slice(at, at + size))}}}]}${POST}`;
  } else for (let word = 0; word < 20; word += 1) stream += `${PRE}{"content":"word${word} "}${POST}`;
  const usage = `{"prompt_tokens":${Math.floor(body.length / 4)},"completion_tokens":30,"total_tokens":${Math.floor(body.length / 4) + 30}}`;
  return (
    `${stream}data: {"id":"c","object":"chat.completion.chunk","created":1,"model":"mock","choices":[{"index":0,"delta":{},"finish_reason":"${done < steps ? "tool_calls" : "stop"}"}]}\n\n` +
    `data: {"id":"c","object":"chat.completion.chunk","created":1,"model":"mock","choices":[],"usage":${usage}}\n\ndata: [DONE]\n\n`
  );
};

let requests = 0;
const server = createServer({ keepAliveTimeout: 120_000 }, (request, response) => {
  if (request.url === "/count") {
    response.end(String(requests));
    requests = 0;
    return;
  }
  const match = PATH.exec(request.url ?? "");
  const team = LEAD_PATH.exec(request.url ?? "");
  const chunks: Buffer[] = [];
  request.on("data", (chunk: Buffer) => chunks.push(chunk));
  request.on("end", () => {
    if (!match && !team) {
      response.writeHead(404).end();
      return;
    }
    requests += 1;
    response.writeHead(200, { "content-type": "text/event-stream" });
    const body = Buffer.concat(chunks);
    if (match) response.end(reply(Number(match[1]), Number(match[2]), body));
    else if (team) response.end(replyToTeam(Number(team[1]), Number(team[2]), body));
  });
});
// A thousand sub-agents connect at once.
server.listen({ port: 0, host: "127.0.0.1", backlog: 4_096 }, () => {
  const address = server.address();
  console.log(typeof address === "object" && address !== null ? address.port : 0);
});

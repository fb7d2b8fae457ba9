/**
 * Draws Markdown that a model or a tool wrote. Every token becomes an element or a text: raw HTML is shown as the text it is, addresses that
 * are no web address are not linked, and pictures of others are named and never loaded.
 */
import type { Token, Tokens } from "marked";
import { Fragment, memo, type ReactNode, useRef } from "react";
import { CodeBlock } from "./code-block.tsx";
import { toPrintable } from "@retinue/client/text";
import { type Block, type Lexed, lexMarkdown, NOTHING_LEXED } from "./lex-markdown.ts";

/** An address that a click may open; undefined for every scheme that could run or reveal something. */
export const toSafeAddress = (href: string): string | undefined => {
  try {
    const { protocol, href: address } = new URL(href);
    return ["http:", "https:", "mailto:"].includes(protocol) ? address : undefined;
  } catch {
    return undefined;
  }
};

const ENTITIES: Readonly<Record<string, string>> = { "&amp;": "&", "&lt;": "<", "&gt;": ">", "&quot;": '"', "&#39;": "'" };

/** The lexer writes some texts for an HTML that is never made. */
const plain = (text: string): string => text.replaceAll(/&(?:amp|lt|gt|quot|#39);/g, (entity) => ENTITIES[entity] ?? entity);

const all = (tokens: readonly Token[] | undefined): ReactNode =>
  tokens?.map((token, at) => <Fragment key={at}>{drawn(token)}</Fragment>);

const Link = ({ token }: { readonly token: Tokens.Link }) => {
  const address = toSafeAddress(token.href);
  return address === undefined ? (
    <span title={token.href}>{all(token.tokens)}</span>
  ) : (
    <a href={address} target="_blank" rel="noopener noreferrer">
      {all(token.tokens)}
    </a>
  );
};

const Picture = ({ token }: { readonly token: Tokens.Image }) => (
  <span className="left-out" title="Pictures from elsewhere are not loaded.">
    picture: {token.text === "" ? token.href : token.text}
  </span>
);

const List = ({ token }: { readonly token: Tokens.List }) => {
  const items = token.items.map((item, at) => (
    <li key={at}>
      {item.task ? (
        <input
          type="checkbox"
          disabled
          checked={item.checked === true}
          aria-label={item.checked === true ? "done" : "not done"}
        />
      ) : null}
      {all(item.tokens.filter(({ type }) => type !== "checkbox"))}
    </li>
  ));
  return token.ordered ? <ol start={token.start === "" ? 1 : token.start}>{items}</ol> : <ul>{items}</ul>;
};

const Table = ({ token }: { readonly token: Tokens.Table }) => (
  <table>
    <thead>
      <tr>
        {token.header.map((cell, at) => (
          <th key={at}>{all(cell.tokens)}</th>
        ))}
      </tr>
    </thead>
    <tbody>
      {token.rows.map((row, at) => (
        <tr key={at}>
          {row.map((cell, column) => (
            <td key={column}>{all(cell.tokens)}</td>
          ))}
        </tr>
      ))}
    </tbody>
  </table>
);

const Heading = ({ token }: { readonly token: Tokens.Heading }) => {
  // The page has headings of its own; those of a text begin below them.
  const Level = `h${Math.min(6, token.depth + 2)}` as "h3" | "h4" | "h5" | "h6";
  return <Level>{all(token.tokens)}</Level>;
};

const drawn = (token: Token): ReactNode => {
  // The lexer gives its tokens by `type`; each case is the token of that name.
  switch (token.type) {
    case "heading":
      return <Heading token={token as Tokens.Heading} />;
    case "paragraph":
      return <p>{all(token.tokens)}</p>;
    case "text":
      return "tokens" in token && token.tokens !== undefined ? all(token.tokens) : plain((token as Tokens.Text).text);
    case "strong":
      return <strong>{all((token as Tokens.Strong).tokens)}</strong>;
    case "em":
      return <em>{all((token as Tokens.Em).tokens)}</em>;
    case "del":
      return <del>{all((token as Tokens.Del).tokens)}</del>;
    case "codespan":
      return <code>{plain((token as Tokens.Codespan).text)}</code>;
    case "code":
      return <CodeBlock code={(token as Tokens.Code).text} language={(token as Tokens.Code).lang ?? ""} />;
    case "link":
      return <Link token={token as Tokens.Link} />;
    case "image":
      return <Picture token={token as Tokens.Image} />;
    case "list":
      return <List token={token as Tokens.List} />;
    case "table":
      return <Table token={token as Tokens.Table} />;
    case "blockquote":
      return <blockquote>{all((token as Tokens.Blockquote).tokens)}</blockquote>;
    case "hr":
      return <hr />;
    case "br":
      return <br />;
    case "escape":
      return plain((token as Tokens.Escape).text);
    case "space":
    case "def":
      return null;
    // HTML, and whatever else a later lexer may know: as it was written.
    default:
      return token.raw;
  }
};

const MarkdownBlock = memo(
  ({ block }: { readonly block: Block }) => <>{all(block.tokens)}</>,
  (before, after) => before.block.raw === after.block.raw,
);

export const Markdown = ({ text }: { readonly text: string }) => {
  const lexed = useRef<Lexed>(NOTHING_LEXED);
  lexed.current = lexMarkdown(lexed.current, toPrintable(text, "prose"));
  return (
    <div className="markdown">
      {lexed.current.blocks.map((block, at) => (
        <MarkdownBlock key={at} block={block} />
      ))}
    </div>
  );
};

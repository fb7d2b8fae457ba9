/** What a key does to a text that is being typed. */
import type { Key, KeyName } from "../input/key-reader.ts";
import type { EditedText, EditName } from "../input/text-editor.ts";
import { editText, insertText } from "../input/text-editor.ts";

const EDITS: Partial<Record<KeyName, EditName>> = {
  left: "left",
  right: "right",
  "word-left": "word-left",
  "word-right": "word-right",
  home: "home",
  end: "end",
  "ctrl-a": "home",
  "ctrl-e": "end",
  backspace: "backspace",
  delete: "delete",
  "delete-word": "delete-word",
  "ctrl-k": "to-line-end",
  "ctrl-u": "to-line-start",
};

/** Undefined where the key is none of editing. */
export const editWith = (edited: EditedText, key: Key): EditedText | undefined => {
  if (key.type === "text" || key.type === "paste") return insertText(edited, key.text);
  if (key.type !== "key") return undefined;
  if (key.name === "newline") return insertText(edited, "\n");
  const edit = EDITS[key.name];
  return edit === undefined ? undefined : editText(edited, edit);
};

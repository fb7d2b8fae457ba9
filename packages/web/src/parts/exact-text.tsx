/** Text that says what is to be done: characters that a reader would not see are drawn as marked escapes. */
import { toMarkedText } from "@retinue/client/text";

export const ExactText = ({ text }: { readonly text: string }) =>
  toMarkedText(text).map((part, at) =>
    part.isMark ? (
      <mark key={at} className="escape" title="A hidden character">
        {part.text}
      </mark>
    ) : (
      <bdi key={at}>{part.text}</bdi>
    ),
  );

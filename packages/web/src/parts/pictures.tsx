/** Pictures that came as bytes with an event, small, and large in a window of their own. They are never fetched. */
import type { UserPart } from "@retinue/protocol";
import { useState } from "react";
import { Dialog } from "./dialog.tsx";

const TYPES: ReadonlySet<string> = new Set(["image/png", "image/jpeg", "image/webp", "image/gif"]);

export const Picture = ({ source, name }: { readonly source: string; readonly name: string }) => {
  const [isLarge, setLarge] = useState(false);
  return (
    <>
      <button type="button" className="thumb" aria-label={`Enlarge: ${name}`} onClick={() => setLarge(true)}>
        <img src={source} alt={name} loading="lazy" />
      </button>
      {isLarge ? (
        <Dialog title={name} className="lightbox" onClose={() => setLarge(false)}>
          <img src={source} alt={name} />
        </Dialog>
      ) : null}
    </>
  );
};

export const Pictures = ({ parts, name }: { readonly parts: readonly UserPart[]; readonly name: string }) => {
  const pictures = parts.flatMap((part) => (part.type === "image" && TYPES.has(part.mediaType) ? [part] : []));
  return pictures.length === 0 ? null : (
    <div className="thumbs">
      {pictures.map(({ mediaType, data }, at) => (
        <Picture key={at} source={`data:${mediaType};base64,${data}`} name={pictures.length > 1 ? `${name} (${at + 1})` : name} />
      ))}
    </div>
  );
};

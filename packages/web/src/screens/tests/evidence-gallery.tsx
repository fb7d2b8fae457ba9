/** The pictures of a case, small beside their steps and large in a window: arrow keys go from one to the next, Esc leaves. */
import { useEffect, useState } from "react";
import { Dialog } from "../../parts/dialog.tsx";
import { Icon } from "../../parts/icons.tsx";

export type EvidencePicture = {
  /** Where it is fetched from: the server itself. */
  readonly source: string;
  /** `Step 2, screenshot 1`. */
  readonly name: string;
  /** What the step was to show. */
  readonly caption: string;
  /** A verdict names it as its evidence. */
  readonly isCited: boolean;
};

export const Thumb = ({ picture, onOpen }: { readonly picture: EvidencePicture; readonly onOpen: () => void }) => (
  <button
    type="button"
    className={`thumb evidence${picture.isCited ? " is-cited" : ""}`}
    aria-label={`Enlarge: ${picture.name}${picture.isCited ? ", cited by the verdict" : ""}`}
    onClick={onOpen}
  >
    <img src={picture.source} alt="" loading="lazy" />
  </button>
);

type Props = {
  readonly pictures: readonly EvidencePicture[];
  /** Which one is shown first. */
  readonly first: number;
  readonly onClose: () => void;
};

export const EvidenceGallery = ({ pictures, first, onClose }: Props) => {
  const [at, setAt] = useState(first);
  const shown = pictures[at];
  // Wherever the focus is in the window, the keys go through the pictures, and nothing behind it hears them.
  useEffect(() => {
    const onKeyDown = (event: KeyboardEvent): void => {
      const to = { ArrowLeft: at - 1, ArrowRight: at + 1, Home: 0, End: pictures.length - 1 }[event.key];
      if (to === undefined) return;
      event.preventDefault();
      event.stopPropagation();
      setAt(Math.min(Math.max(0, to), pictures.length - 1));
    };
    document.addEventListener("keydown", onKeyDown, { capture: true });
    return () => document.removeEventListener("keydown", onKeyDown, { capture: true });
  }, [at, pictures.length]);
  if (shown === undefined) return null;
  return (
    <Dialog title={`${shown.name} (${at + 1} of ${pictures.length})`} className="lightbox gallery" onClose={onClose}>
      <figure>
        <div className="gallery-stage">
          <button
            type="button"
            className="button plain square"
            aria-label="Previous picture"
            disabled={at === 0}
            onClick={() => setAt(at - 1)}
          >
            <span className="flip">
              <Icon name="chevron" />
            </span>
          </button>
          <img src={shown.source} alt={`${shown.name}: ${shown.caption}`} />
          <button
            type="button"
            className="button plain square"
            aria-label="Next picture"
            disabled={at === pictures.length - 1}
            onClick={() => setAt(at + 1)}
          >
            <Icon name="chevron" />
          </button>
        </div>
        <figcaption className="small">
          {shown.isCited ? <strong>Cited by the verdict. </strong> : null}
          {shown.caption} <span className="quiet">← → change the picture</span>
        </figcaption>
      </figure>
    </Dialog>
  );
};

/** A window over the page: the browser's own dialog, which keeps the focus inside and gives it back. Esc and a click beside it leave it. */
import { type ReactNode, useId, useLayoutEffect, useRef } from "react";
import { Icon } from "./icons.tsx";

type Props = {
  readonly title: string;
  readonly onClose: () => void;
  readonly children: ReactNode;
  readonly className?: string;
  /** The title is only told to screen readers. */
  readonly isBare?: boolean;
};

export const Dialog = ({ title, onClose, children, className = "", isBare = false }: Props) => {
  const dialog = useRef<HTMLDialogElement>(null);
  const id = useId();
  // Closed while it is still in the page: only then the browser gives the focus back.
  useLayoutEffect(() => {
    const shown = dialog.current;
    if (shown !== null && !shown.open) shown.showModal();
    return () => shown?.close();
  }, []);
  return (
    <dialog
      ref={dialog}
      className={className}
      aria-labelledby={id}
      onCancel={(event) => {
        event.preventDefault();
        onClose();
      }}
      onClick={(event) => {
        if (event.target === dialog.current) onClose();
      }}
    >
      {isBare ? (
        <>
          <h2 className="hidden-label" id={id}>
            {title}
          </h2>
          {children}
        </>
      ) : (
        <div className="body">
          <header>
            <h2 id={id}>{title}</h2>
            <button type="button" className="button plain square" aria-label="Close" onClick={onClose}>
              <Icon name="close" />
            </button>
          </header>
          {children}
        </div>
      )}
    </dialog>
  );
};

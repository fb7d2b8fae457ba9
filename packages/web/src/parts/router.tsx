/** The addresses of the page: what is shown follows from the path, links are real links, and back and forward work as everywhere. */
import { type AnchorHTMLAttributes, type MouseEvent, useSyncExternalStore } from "react";

const listeners = new Set<() => void>();

const tell = (): void => {
  for (const listener of listeners) listener();
};

const subscribe = (listener: () => void): (() => void) => {
  if (listeners.size === 0) window.addEventListener("popstate", tell);
  listeners.add(listener);
  return () => {
    listeners.delete(listener);
    if (listeners.size === 0) window.removeEventListener("popstate", tell);
  };
};

export const navigate = (address: string): void => {
  history.pushState(null, "", address);
  tell();
};

/** Another address of what is shown already: going back does not lead through it. */
export const replaceAddress = (address: string): void => {
  history.replaceState(null, "", address);
  tell();
};

/** The path, and how to go elsewhere. */
export const useLocation = (): readonly [path: string, go: (address: string) => void] => {
  // What stands after the path is part of what is shown, so that a change of it is drawn too.
  useSyncExternalStore(subscribe, () => location.href);
  return [location.pathname, navigate];
};

type Props = AnchorHTMLAttributes<HTMLAnchorElement> & { readonly href: string };

export const Link = ({ href, onClick, ...rest }: Props) => {
  const follow = (event: MouseEvent<HTMLAnchorElement>): void => {
    onClick?.(event);
    // Other windows and tabs are the browser's.
    if (event.defaultPrevented || event.button !== 0 || event.ctrlKey || event.metaKey || event.shiftKey || event.altKey) return;
    event.preventDefault();
    navigate(href);
  };
  return <a {...rest} href={href} onClick={follow} />;
};

import { useEffect } from "preact/hooks";
import { goTo } from "../state/route.ts";
import { stop } from "../state/sessions.ts";

/** What the keys do, as the page says it. */
export const KEYS: readonly (readonly [keys: string, what: string])[] = [
  ["Ctrl+K or /", "search the sessions"],
  ["↑ ↓", "go through the list"],
  ["Enter", "open a session, or send"],
  ["Esc", "close what is open, else stop the answer"],
];

let isSearchWanted = false;

/** Ctrl+K, or / where nobody writes, goes to the search; on a phone's screen, to the list first. */
export function useSearchKey(isEnabled: boolean): void {
  useEffect(() => {
    if (!isEnabled) return;
    const onKeyDown = (event: KeyboardEvent) => {
      const isK = event.key.toLowerCase() === "k" && (event.ctrlKey || event.metaKey) && !event.altKey;
      const isSlash = event.key === "/" && !event.ctrlKey && !event.metaKey && !event.altKey && !isWriting(event);
      if (event.defaultPrevented || event.isComposing || !(isK || isSlash)) return;
      event.preventDefault();
      const field = searchField();
      if (field) {
        field.focus();
        field.select();
        return;
      }
      isSearchWanted = true;
      goTo("/threads");
    };
    document.addEventListener("keydown", onKeyDown);
    return () => document.removeEventListener("keydown", onKeyDown);
  }, [isEnabled]);
}

/** Whether somebody asked for the search before it was on the screen; once. */
export function takeSearchWish(): boolean {
  const wasWanted = isSearchWanted;
  isSearchWanted = false;
  return wasWanted;
}

/** Esc closes what is open, before it does anything else. */
export function useCloseKey(isOpen: boolean, close: () => void): void {
  useEffect(() => {
    if (!isOpen) return;
    const onKeyDown = (event: KeyboardEvent) => {
      if (event.key !== "Escape" || event.isComposing) return;
      event.preventDefault();
      close();
    };
    document.addEventListener("keydown", onKeyDown, true);
    return () => document.removeEventListener("keydown", onKeyDown, true);
  }, [isOpen, close]);
}

/** Esc stops what runs, unless it closes something. */
export function useStopKey(threadId: string): void {
  useEffect(() => {
    const onKeyDown = (event: KeyboardEvent) => {
      if (event.key !== "Escape" || event.defaultPrevented || event.isComposing) return;
      // The browser itself closes a dialog.
      if (document.querySelector("dialog[open]") !== null) return;
      if (stop(threadId)) event.preventDefault();
    };
    document.addEventListener("keydown", onKeyDown);
    return () => document.removeEventListener("keydown", onKeyDown);
  }, [threadId]);
}

export const SEARCH_ID = "search";

function searchField(): HTMLInputElement | null {
  const field = document.getElementById(SEARCH_ID);
  return field instanceof HTMLInputElement ? field : null;
}

function isWriting({ target }: KeyboardEvent): boolean {
  return target instanceof HTMLElement && target.matches("input, textarea, select, [contenteditable]");
}

import { useEffect, useState } from "preact/hooks";

/** Keeps the page as tall as what is not covered by the on-screen keyboard, where the browser does not do it itself. */
export function useViewportHeight(): void {
  useEffect(() => {
    const viewport = window.visualViewport;
    if (!viewport) return;
    const fit = () => {
      // Zooming in makes it smaller too, and must not squeeze the page.
      document.documentElement.style.setProperty("--height", `${viewport.height * viewport.scale}px`);
    };
    fit();
    viewport.addEventListener("resize", fit);
    return () => viewport.removeEventListener("resize", fit);
  }, []);
}

const wide = matchMedia("(min-width: 48rem)");

/** Whether there is room for the list beside a conversation. What is not on the screen is not drawn, and so not read. */
export function useIsWide(): boolean {
  const [isWide, setIsWide] = useState(wide.matches);
  useEffect(() => {
    const follow = () => setIsWide(wide.matches);
    wide.addEventListener("change", follow);
    return () => wide.removeEventListener("change", follow);
  }, []);
  return isWide;
}

import { useEffect, useState } from "preact/hooks";

/**
 * `/`: the home channel. `/t/<id>`: a thread. `/threads`: the list, which is a screen of its own on a phone.
 * `/overview/…`: what only the operator may see.
 */
export interface Route {
  readonly threadId: string;
  readonly isList: boolean;
  /** What is behind `/overview/`; null elsewhere. */
  readonly overview: string | null;
}

const HOME = "home";

function routeOf(path: string): Route {
  const [, threadId = HOME] = /^\/t\/([\w-]+)$/.exec(path) ?? [];
  const [, overview = null] = /^\/overview(?:\/(.*)|$)/.exec(`${path}`) ?? [];
  return { threadId, isList: path === "/threads", overview: path === "/overview" ? "" : overview };
}

export function pathTo(threadId: string): string {
  return threadId === HOME ? "/" : `/t/${encodeURIComponent(threadId)}`;
}

export function useRoute(): Route {
  const [route, setRoute] = useState(() => routeOf(location.pathname));
  useEffect(() => {
    const follow = () => setRoute(routeOf(location.pathname));
    addEventListener("popstate", follow);
    document.addEventListener("click", followLink);
    return () => {
      removeEventListener("popstate", follow);
      document.removeEventListener("click", followLink);
    };
  }, []);
  return route;
}

/** Links within the page change what it shows; with a modifier key they do what links do. */
function followLink(event: MouseEvent): void {
  if (event.button !== 0 || event.metaKey || event.ctrlKey || event.shiftKey || event.altKey) return;
  const link = event.target instanceof Element ? event.target.closest("a[data-page]") : null;
  if (!(link instanceof HTMLAnchorElement)) return;
  event.preventDefault();
  goTo(link.pathname);
}

/** Shows another part of the page. */
export function goTo(path: string): void {
  if (path !== location.pathname) history.pushState(null, "", path);
  dispatchEvent(new PopStateEvent("popstate"));
}

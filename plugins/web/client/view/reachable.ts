/** For what scrolls by itself: without a stop there, the keyboard could not reach what is out of sight. */
export const reachable = { tabIndex: 0 } as const;

import { withNumbers } from "../../base/hidden-text.ts";
import { type Styled, type Styles, styled } from "../../terminal/styled.ts";

/** A line of a unified diff in its colour, hidden characters by their numbers. */
export function diffLine({ green, red, cyan }: Styles, line: string): Styled {
  const shown = withNumbers(line);
  if (shown.startsWith("+")) return green(shown);
  if (shown.startsWith("-")) return red(shown);
  return shown.startsWith("@@") ? cyan(shown) : styled`${shown}`;
}

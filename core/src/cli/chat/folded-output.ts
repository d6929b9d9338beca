import { Lifecycle, scoped } from "tsyringe";
import type { ToolOutcome } from "../../model/call-outcome.ts";
import type { Output } from "../../terminal/output.ts";
import { type Styled, styled } from "../../terminal/styled.ts";
import { outcomeLines } from "./tool-view.ts";

/** The result of a tool that was shown last and only in part, for Ctrl-O. */
@scoped(Lifecycle.ContainerScoped)
export class FoldedOutput {
  #last: { readonly head: Styled; readonly outcome: ToolOutcome } | null = null;

  fold(head: Styled, outcome: ToolOutcome): void {
    this.#last = { head, outcome };
  }

  /** Shows the whole of it. */
  unfold(output: Output): void {
    const last = this.#last;
    this.#last = null;
    if (last === null) {
      output.note("There is no folded tool output.");
      return;
    }
    output.note(last.head);
    for (const line of outcomeLines(output, last.outcome)) output.note(line);
    output.note(styled`${output.colors.dim("  ── the end of it")}`);
  }
}

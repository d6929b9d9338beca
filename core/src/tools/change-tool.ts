import type { Tool, ToolContext, ToolInput, ToolResult } from "../agent/agent.ts";
import type { FileChange, FileChanges } from "./files/change-file.ts";
import { checkedPath } from "./files/checked-path.ts";
import { JudgedFiles } from "./files/judged-files.ts";

/** A tool that changes one file below the session's directory. */
export abstract class ChangeTool<Input extends { readonly path: string }> implements Tool<Input> {
  abstract readonly name: string;
  abstract readonly description: string;
  abstract readonly input: ToolInput<Input>;
  readonly effect = "writes";
  protected readonly changes: FileChanges;
  readonly #judged = new JudgedFiles<Input>();

  constructor(changes: FileChanges) {
    this.changes = changes;
  }

  abstract summary(call: Input): string;

  subjects(call: Input, where: ToolContext): readonly string[] {
    return [this.#judged.note(call, checkedPath(call.path, where))];
  }

  detail(call: Input, where: ToolContext): string {
    return this.plan(call, where).diff.text;
  }

  async run(call: Input, where: ToolContext): Promise<ToolResult> {
    const change = this.plan(call, where);
    this.#judged.check(call, change.place);
    this.changes.carryOut(change, where);
    return { text: this.resultOf(change) };
  }

  /** Finds out what the call would make of the file. Throws where it may not. */
  protected abstract plan(call: Input, where: ToolContext): FileChange;

  /** What the model reads of a change that was made. */
  protected abstract resultOf(change: FileChange): string;
}

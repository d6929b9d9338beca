import { count } from "../../base/text.ts";

/**
 * What a person is told of a file or folder that a message brings along and the model does not read whole; null where it
 * does. The tools cut what is long, and say so in what they give the model.
 */
export function cutMention(path: string, read: string): string | null {
  if (read.startsWith(`${path} is a binary file of `)) {
    return `@${path} is only named: it is neither a text nor a picture or PDF.`;
  }
  const [, last, total] = /\n\n\[lines 1 to (\d+) of (\d+|more)\]$/.exec(read) ?? [];
  const [, entries] = /\n\[more than (\d+) entries: the rest is left out\]$/.exec(read) ?? [];
  const [, middle] = /\n\n\[([\d,]+ characters) \([\d,]+ lines?\) were cut here, behind the first /.exec(read) ?? [];
  const longLines = read.split("\n").filter((line) => /… \[\d+ characters cut\]$/.test(line)).length;
  const left: string[] = [];
  if (last !== undefined) left.push(`only the first ${last} of ${total} lines are read`);
  if (entries !== undefined) left.push(`only the first ${entries} entries are listed`);
  if (middle !== undefined) left.push(`${middle} in the middle are left out`);
  if (longLines > 0) left.push(`${count(longLines, "long line")} ${longLines === 1 ? "is" : "are"} cut`);
  return left.length === 0 ? null : `Of @${path} not all goes along: ${left.join(", ")}. The agent can read the rest.`;
}

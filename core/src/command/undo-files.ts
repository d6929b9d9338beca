import { relative } from "node:path";
import { HermesError, reasonOf } from "../base/errors.ts";
import { withNumbers } from "../base/hidden-text.ts";
import { count, withoutFullStop } from "../base/text.ts";
import { codeSpan } from "../markdown/escape-markdown.ts";
import type { Session } from "../model/session.ts";
import type { UndoneExchange } from "../model/turn.ts";
import type { WrittenFile } from "../model/written-file.ts";
import type { CommandContext } from "./command.ts";

/** How many files are named. */
const NAMED = 20;

/** What there is to say of the files that a taken back exchange changed: asks where it can, else names the command. */
export async function offerFiles(place: CommandContext, undone: UndoneExchange): Promise<string> {
  const session = await place.session();
  if (session === null || !place.isOperator) return "";
  const written = writtenBy(place, session, undone).filter(({ state }) => state === "as written");
  if (written.length === 0) return changedSince(place, session, undone);
  const names = written.slice(0, NAMED).map((file) => nameOf(file, session));
  const more = written.length > NAMED ? [`… and ${count(written.length - NAMED, "more file")}`] : [];
  if (place.confirm === undefined) {
    const list = [...names.map(codeSpan), ...more].join(", ");
    return `The files stay as they are: ${list}. ${place.typed("undo files")} puts them back as they were.`;
  }
  const isWanted = await place.confirm(["It changed:", ...names, ...more], "Put that back as it was before?");
  if (isWanted) return putBack(place, session, undone);
  return `The files stay as they are; ${place.typed("undo files")} puts them back.`;
}

/** Puts back the files that the exchange changed which was taken back last. Throws where there is nothing to put back. */
export async function putFilesBack(place: CommandContext): Promise<string> {
  if (!place.isOperator) throw new HermesError("NOT_ALLOWED", {});
  const session = await place.session();
  const undone = session === null ? null : await place.store.turns.lastUndone(session.id);
  if (session === null || undone === null) throw new HermesError("SESSION_NO_FILES_TO_UNDO", {});
  const said = await putBack(place, session, undone);
  if (said === "") throw new HermesError("SESSION_NO_FILES_TO_UNDO", {});
  return said;
}

async function putBack(place: CommandContext, session: Session, undone: UndoneExchange): Promise<string> {
  const back: string[] = [];
  const problems: string[] = [];
  for (const file of writtenBy(place, session, undone)) {
    if (file.state !== "as written") continue;
    try {
      place.files?.putBack(session.id, undone.turns, file.path);
      back.push(`${codeSpan(nameOf(file, session))}${file.isNew ? " (taken away again)" : ""}`);
    } catch (error) {
      problems.push(`Not put back: ${codeSpan(withoutFullStop(withNumbers(reasonOf(error))))}.`);
    }
  }
  const said = back.length === 0 ? [] : [`Put back: ${back.join(", ")}.`];
  return [...said, ...problems, changedSince(place, session, undone)].filter((part) => part !== "").join("\n\n");
}

function changedSince(place: CommandContext, session: Session, undone: UndoneExchange): string {
  const changed = writtenBy(place, session, undone).filter(({ state }) => state === "changed since");
  if (changed.length === 0) return "";
  const names = changed.map((file) => codeSpan(nameOf(file, session))).join(", ");
  return `Changed by somebody else since, and left as it is: ${names}.`;
}

function writtenBy({ files }: CommandContext, { id }: Session, { turns }: UndoneExchange): readonly WrittenFile[] {
  return files?.of(id, turns) ?? [];
}

/** Its path from the session's directory, where it lies in that. */
function nameOf({ path }: WrittenFile, { workingDirectory }: Session): string {
  const way = workingDirectory === null ? path : relative(workingDirectory, path);
  return withNumbers(way.startsWith("..") ? path : way);
}

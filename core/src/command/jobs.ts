import { HermesError } from "../base/errors.ts";
import { withNumbers } from "../base/hidden-text.ts";
import { withoutLookalikes } from "../base/redact.ts";
import { ageText } from "../base/text.ts";
import { codeSpan } from "../markdown/escape-markdown.ts";
import { fenced } from "../markdown/fence.ts";
import type { Job } from "../model/job.ts";
import type { Command, CommandContext } from "./command.ts";
import { takesOnly } from "./parse-command.ts";
import { clip } from "./words.ts";

export const jobsCommand: Command = {
  name: "jobs",
  description: "List the commands that run in the background, or stop one",
  category: "Info",
  aliases: ["tasks", "bashes"],
  argumentHint: "[stop id]",
  immediate: true,
  operatorsOnly: true,
  async run(place, argument) {
    const [verb = "", id = "", ...more] = argument.split(/\s+/);
    if (more.length > 0 || !["", "stop"].includes(verb))
      throw takesOnly("jobs", "`stop` and the id of a command, or no argument");
    const jobs = await visibleJobs(place);
    if (verb === "stop") {
      const job = jobs.find((one) => one.id === id);
      if (job === undefined || !(await place.jobs?.stop(id))) throw new HermesError("JOB_UNKNOWN", { id });
      return { reply: `Stopped ${nameOf(job)}.` };
    }
    if (jobs.length === 0) return { reply: "No command runs in the background here." };
    return { reply: jobs.map((job) => describe(job, place.clock.now())).join("\n\n") };
  },
};

/** Those of sessions that may be seen at the place. */
async function visibleJobs({ store, visible, jobs }: CommandContext): Promise<readonly Job[]> {
  const running = jobs?.running() ?? [];
  const found = await Promise.all(running.map(({ sessionId }) => store.sessions.find(sessionId, visible)));
  return running.filter(({ sessionId }, at) => found[at]?.some(({ id }) => id === sessionId));
}

function describe(job: Job, now: number): string {
  const head = `**${job.id}** ${nameOf(job)}, for ${ageText(now - job.startedAt)}`;
  const end = withNumbers(withoutLookalikes(job.lastLines));
  return end.trim() === "" ? head : `${head}\n\n${fenced(end)}`;
}

function nameOf({ command }: Job): string {
  return codeSpan(clip(withNumbers(withoutLookalikes(command)), 80));
}

import { handoffWithSteps } from "../../overview/handoffs.ts";
import { styled } from "../../terminal/styled.ts";
import type { CliContext } from "../context.ts";
import { findHandoff } from "./find-handoff.ts";
import { stepLine } from "./show-steps.ts";

export async function showHandoff({ output, withHost }: CliContext, reference: string): Promise<undefined> {
  await withHost(async ({ store }) => {
    const handoff = await findHandoff(store, reference);
    const { steps, warnings, requestedAt } = handoff;
    output.document(await handoffWithSteps(store, handoff));
    const title = (await store.sessions.get(handoff.sessionId))?.title ?? handoff.sessionId;
    output.line(styled`${output.colors.bold(title)} → ${handoff.platform}: ${handoff.state}`);
    for (const { step, at } of steps) output.line(stepLine(output, step, at - requestedAt));
    for (const warning of warnings) output.line(`  ! ${warning}`);
    if (handoff.error !== null) output.line(`  ${handoff.error.text}`);
    if (handoff.place !== null) output.line(`  ${handoff.place}`);
    if (handoff.link !== null) output.line(`  ${handoff.link}`);
  });
}

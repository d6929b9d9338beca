import { typedTarget } from "../../model/place.ts";
import { handoffWithSteps } from "../../overview/handoffs.ts";
import { wayOfSession } from "../../overview/session-way.ts";
import { styled } from "../../terminal/styled.ts";
import type { CliContext } from "../context.ts";
import { findHandoff } from "./find-handoff.ts";
import { stepLine } from "./show-steps.ts";
import { wayLines } from "./way-lines.ts";

export async function showHandoff({ output, withHost }: CliContext, reference: string): Promise<undefined> {
  await withHost(async ({ store, clock }) => {
    const handoff = await findHandoff(store, reference);
    const { steps, warnings, requestedAt } = handoff;
    const way = await wayOfSession(store, handoff.sessionId);
    output.document({ ...(await handoffWithSteps(store, handoff)), way });
    const title = (await store.sessions.get(handoff.sessionId))?.title ?? handoff.sessionId;
    output.line(styled`${output.colors.bold(title)} → ${typedTarget(handoff.to)}: ${handoff.state}`);
    for (const { step, at } of steps) output.line(stepLine(output, step, at - requestedAt));
    for (const warning of warnings) output.line(`  ! ${warning}`);
    if (handoff.error !== null) output.line(`  ${handoff.error.text}`);
    if (handoff.place !== null) output.line(`  ${handoff.place}`);
    if (handoff.link !== null) output.line(`  ${handoff.link}`);
    if (way.length > 0) output.line("The way of this session:");
    for (const line of wayLines(output, way, clock.now())) output.line(line);
  });
}

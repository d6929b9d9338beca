import { ageText } from "../../base/text.ts";
import { holderWords } from "../../overview/holder-document.ts";
import { type LeaseDocument, leasesDocument } from "../../overview/leases.ts";
import { styled } from "../../terminal/styled.ts";
import type { CliContext } from "../context.ts";

/** `hermes leases` */
export async function showLeases({ output, withHost }: CliContext): Promise<undefined> {
  await withHost(
    async (host) => {
      const document = await leasesDocument(host);
      output.document(document);
      if (output.json) return;
      const { bold, dim } = output.colors;
      if (document.leases.length === 0) output.line("No process holds anything.");
      for (const lease of document.leases) {
        const of = lease.title === null ? "" : ` of “${lease.title}”`;
        const line = styled`${bold(lease.name)}${of}: ${holderWords(lease.holder)}, ${timesOf(lease, host.clock.now())}`;
        output.line(lease.isLive ? line : dim(line));
      }
    },
    { needsConfig: false },
  );
}

function timesOf({ ageMs, until, isLive }: LeaseDocument, now: number): string {
  const age = ageMs === null ? "" : `for ${ageText(ageMs)}, `;
  if (isLive) return `${age}${ageText(until - now)} left unless it renews`;
  return `${age}${until < now ? `expired ${ageText(now - until)} ago` : "its process is gone"}`;
}

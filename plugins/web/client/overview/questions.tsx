import type { WireApproval } from "../../src/server/wire/overview.ts";
import { ActButton } from "./act-button.tsx";
import { useDocument } from "./document.ts";
import { Item, Items, SessionLink } from "./items.tsx";
import { Ago, LongText, Text } from "./text.tsx";

export function Questions() {
  const shown = useDocument<{ readonly approvals: readonly WireApproval[] }>("approvals");
  return (
    <Items shown={shown} of={({ approvals }) => approvals} empty="Nothing waits for an answer.">
      {(approval) => <Question key={approval.code} approval={approval} />}
    </Items>
  );
}

/** A question with its whole text, and the buttons that answer it. */
export function Question({ approval, isOfSession = false }: { approval: WireApproval; isOfSession?: boolean }) {
  const { code, kind, tool, summary, detail, rules, answers, sessionId, title, askedAt, places } = approval;
  return (
    <Item
      name={<Text text={kind === "question" ? summary : `${tool}: ${summary}`} />}
      facts={[
        isOfSession ? "" : <SessionLink key="session" id={sessionId} title={title} none="" />,
        <Ago key="ago" at={Date.parse(askedAt)} />,
        places.length === 0 ? "" : <Text key="places" text={`shown ${places.join(" and ")}`} />,
        <code key="code">{code}</code>,
      ]}
    >
      {/* Whole: somebody who allows it has to see what runs. */}
      {detail !== "" && kind === "call" && (
        <pre class="asked">
          <Text text={detail} />
        </pre>
      )}
      {detail !== "" && kind === "question" && <LongText text={detail} />}
      <div class="actions">
        {kind === "call" && (
          <ActButton action={{ do: "allow", code }} done="Allowed once." style="primary">
            Allow once
          </ActButton>
        )}
        {kind === "call" && rules.length > 0 && (
          <ActButton
            action={{ do: "allow", code, session: true }}
            done="Allowed for the rest of the session."
            question={`Allow ${rules.join(", ")} for the rest of the session?`}
          >
            Allow for the session
          </ActButton>
        )}
        {answers.map((answer) => (
          <ActButton key={answer} action={{ do: "answer", code, answer }} done="Answered.">
            <Text text={answer} />
          </ActButton>
        ))}
        <ActButton action={{ do: "deny", code }} done="Denied." style="danger">
          Deny
        </ActButton>
      </div>
    </Item>
  );
}

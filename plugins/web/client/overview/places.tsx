import type { WirePlace } from "../../src/server/wire/overview.ts";
import { useDocument } from "./document.ts";
import { Item, Items } from "./items.tsx";
import { Ago, Text } from "./text.tsx";

export function Places() {
  const shown = useDocument<{ readonly places: readonly WirePlace[] }>("places");
  return (
    <Items shown={shown} of={({ places }) => places} empty="No place is known yet.">
      {({ type, name, kind, isShared, readBy, lastUsedAt }) => (
        <Item
          key={type}
          name={<Text text={type} />}
          facts={[
            kind === "home" ? "home channel" : "",
            name === null ? "" : <Text key="name" text={name} />,
            kind === "terminal" ? "" : isShared ? "others read it" : "private",
            isShared || readBy === null ? "" : <Text key="reader" text={`${readBy} reads it`} />,
            lastUsedAt === null ? "" : <>used {<Ago at={lastUsedAt} />}</>,
          ]}
        />
      )}
    </Items>
  );
}

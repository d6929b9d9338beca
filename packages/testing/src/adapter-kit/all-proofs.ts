import { type AdapterProof, toAdapterProof } from "./proof.ts";
import { accountProofs } from "./proofs/account.ts";
import { attachmentProofs } from "./proofs/attachments.ts";
import { capabilityProofs } from "./proofs/capabilities.ts";
import { choiceProofs } from "./proofs/choices.ts";
import { editProofs } from "./proofs/edits.ts";
import { emulatorProofs } from "./proofs/emulators.ts";
import { errorProofs } from "./proofs/errors.ts";
import { fileProofs } from "./proofs/files.ts";
import { threadProofs } from "./proofs/handoff-threads.ts";
import { historyProofs } from "./proofs/history.ts";
import { homeProofs } from "./proofs/home-channel.ts";
import { identityProofs } from "./proofs/identity.ts";
import { keyProofs } from "./proofs/keys.ts";
import { leftProofs } from "./proofs/left.ts";
import { lengthProofs } from "./proofs/length.ts";
import { linkProofs } from "./proofs/links.ts";
import { livingProofs } from "./proofs/living.ts";
import { namedPlaceProofs } from "./proofs/named-places.ts";
import { offerProofs } from "./proofs/offers.ts";
import { peopleProofs } from "./proofs/people.ts";
import { privateThreadProofs } from "./proofs/private-threads.ts";
import { questionProofs } from "./proofs/questions.ts";
import { receivingProofs } from "./proofs/receiving.ts";
import { referenceProofs } from "./proofs/references.ts";
import { refusalProofs } from "./proofs/refusals.ts";
import { renewalProofs } from "./proofs/renewals.ts";
import { senderProofs } from "./proofs/senders.ts";
import { sendingProofs } from "./proofs/sending.ts";
import { setupProofs } from "./proofs/setup.ts";
import type { AdapterUnderTest } from "./subject.ts";

/** All proofs for an adapter, in the order of the rules. */
export function proofsOf(subject: AdapterUnderTest): readonly AdapterProof[] {
  const own = [
    ...keyProofs,
    ...receivingProofs,
    ...historyProofs,
    ...leftProofs,
    ...senderProofs,
    ...peopleProofs,
    ...identityProofs,
    ...lengthProofs,
    ...linkProofs,
    ...sendingProofs,
    ...refusalProofs,
    ...errorProofs,
    ...threadProofs,
    ...privateThreadProofs,
    ...homeProofs,
    ...namedPlaceProofs,
    ...capabilityProofs,
    ...choiceProofs,
    ...questionProofs,
    ...offerProofs,
    ...referenceProofs,
    ...editProofs,
    ...livingProofs,
    ...attachmentProofs,
    ...fileProofs,
    ...renewalProofs,
    ...accountProofs,
    ...setupProofs,
    ...emulatorProofs,
  ];
  return [...own.map(toAdapterProof), ...(subject.extras ?? [])];
}

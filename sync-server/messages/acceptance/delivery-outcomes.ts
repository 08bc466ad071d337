import { areMessagesEqual } from '../../../schema/merge-messages.ts'
import type { MessageDocument } from '../../../schema/message.ts'
import { clampTimes } from '../../../schema/permit-message-change.ts'
import type { MessageProposal } from '../proposals/message-draft.ts'
import { clockSlackMs, type Outcome } from '../proposals/proposal.ts'
import type { WrittenDelivery } from './delivery-writer.ts'

/** The final stored version answers each proposal; `isTaken` is individual. */
export function listOutcomes({
  decided,
  revs,
  delivery,
}: WrittenDelivery): [MessageProposal, Outcome<MessageDocument>][] {
  return decided.flatMap(({ each, whole }) =>
    each.map((draft, index): [MessageProposal, Outcome<MessageDocument>] => {
      const { next, refusal } = index === each.length - 1 ? whole : draft
      const { proposal, stored, effect } = draft
      const rev = revs.get(proposal.id)
      if (!whole.next || !next || rev === undefined) {
        return [proposal, { kind: 'absent', id: proposal.id }]
      }
      const isSame = proposal.message !== undefined && areMessagesEqual(next, proposal.message)
      const isChanged = effect !== 'none' && !(stored && areMessagesEqual(stored, next))
      const isClamped =
        !isSame &&
        proposal.message !== undefined &&
        !areMessagesEqual(
          clampTimes(proposal.message, delivery.now + clockSlackMs),
          proposal.message,
        )
      const outcome: Outcome<MessageDocument> = {
        kind: 'stored',
        id: proposal.id,
        rev,
        doc: whole.next,
        isNew: !stored,
        isTaken: isSame || (!refusal && isChanged),
        ...(isClamped && { isClamped }),
        ...(refusal ? { refusal } : {}),
      }
      return [proposal, outcome]
    }),
  )
}

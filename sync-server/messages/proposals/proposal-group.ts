import { groupBy } from '../../../schema/helpers/group-by.ts'
import type { LostSpan } from '../../../schema/lost-span.ts'
import type { MessageDocument } from '../../../schema/message.ts'
import { refuse } from '../../../schema/refusal.ts'
import type { Reach } from '../../access/relations.ts'
import { draftMessage, type MessageDraft, type MessageProposal } from './draft-message.ts'

/** All of one batch's proposals about one message, in order. */
export interface ProposalGroup {
  id: string
  proposals: MessageProposal[]
}

const effects = ['none', 'own', 'amend', 'deliver'] as const

export function groupById(proposals: readonly MessageProposal[]): ProposalGroup[] {
  return [...groupBy(proposals, ({ id }) => id)].map(([id, ofId]) => ({ id, proposals: ofId }))
}

/** The other person, if a group identifies them. */
export function findPeer({ proposals }: ProposalGroup): string | undefined {
  return proposals.find(({ message }) => message)?.message?.peerId
}

/**
 * Applies the one rule (P4) to each proposal, on top of the one before.
 * @returns a draft for each, and one for all together
 */
export function draftGroup(options: {
  actorId: string
  group: ProposalGroup
  stored: MessageDocument | undefined
  reach: Reach
  isActorFull: boolean
  isFirstRefused?: boolean
  isPeerTouched: boolean
  lost: readonly LostSpan[]
  now: number
}): { each: MessageDraft[]; whole: MessageDraft } {
  const { group, stored, ...rest } = options
  const peerId = findPeer(group)
  const each: MessageDraft[] = []
  let current = stored
  let effect: MessageDraft['effect'] = 'none'
  for (const proposal of group.proposals) {
    // The reach was checked for one person: a proposal that names another does not get it.
    if (proposal.message && proposal.message.peerId !== peerId) {
      const refusal = refuse('foreign_id')
      const base = { proposal, stored: current, reach: rest.reach }
      each.push({ ...base, next: current, effect: 'none', refusal })
      continue
    }
    const draft = draftMessage({ ...rest, proposal, stored: current })
    each.push(draft)
    current = draft.next
    effect = effects.indexOf(draft.effect) > effects.indexOf(effect) ? draft.effect : effect
  }
  const isForPeer = ({ proposal: { message } }: MessageDraft) =>
    !message || message.peerId === peerId
  const last = each.findLast(isForPeer)
  if (!last) throw new Error('a group of proposals is empty')
  return { each, whole: { ...last, stored, next: current, effect } }
}

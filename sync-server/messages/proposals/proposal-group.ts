import { decideMessage } from '../../../schema/decide-message.ts'
import { groupBy } from '../../../schema/helpers/lists.ts'
import type { LostSpan, MessageDocument } from '../../../schema/message.ts'
import { refuse } from '../../../schema/refusal.ts'
import type { Reach } from '../../access/relations.ts'
import {
  draftUnread,
  type MessageDraft,
  type MessageProposal,
  mustAmend,
  toDrafted,
} from './message-draft.ts'

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
  const { actorId, group, stored, reach, isActorFull: isAuthorFull, lost, now } = options
  const { isFirstRefused = false, isPeerTouched } = options
  const peerId = findPeer(group)
  const each: MessageDraft[] = []
  let current = stored
  let effect: MessageDraft['effect'] = 'none'
  for (const proposal of group.proposals) {
    const { message: proposed, isFromProvider } = proposal
    const base = { proposal, stored: current, reach }
    // The reach was checked for one person: a proposal that names another does not get it.
    if (proposed && proposed.peerId !== peerId) {
      each.push({ ...base, next: current, effect: 'none', refusal: refuse('foreign_id') })
      continue
    }
    const drafted = proposed
      ? toDrafted(
          decideMessage({
            actorId,
            stored: current,
            proposed,
            isRecipientKnown: reach !== 'unknown_person',
            isFirstRefused,
            isAuthorFull,
            lost,
            channel: isFromProvider ? 'provider' : reach === 'channel' ? 'author' : undefined,
            now,
          }),
          current,
        )
      : draftUnread({ actorId, proposal, stored: current, now })
    const isAmended = mustAmend(drafted, { actorId, stored: current, isPeerTouched })
    const draft: MessageDraft = { ...base, ...drafted, ...(isAmended && { effect: 'amend' }) }
    each.push(draft)
    current = draft.next
    if (effects.indexOf(draft.effect) > effects.indexOf(effect)) effect = draft.effect
  }
  const isForPeer = ({ proposal: { message } }: MessageDraft) =>
    !message || message.peerId === peerId
  const last = each.findLast(isForPeer)
  if (!last) throw new Error('a group of proposals is empty')
  return { each, whole: { ...last, stored, next: current, effect } }
}

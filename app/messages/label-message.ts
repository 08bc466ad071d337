import { isEdited, type MessageDocument } from '../../schema/message.ts'
import { listReactions } from '../../schema/reaction.ts'
import { formatClockTime } from '../ui/format/format-clock-time.ts'
import { cutAtWord } from '../ui/text/cut-at-word.ts'
import { describeMessage } from '../ui/text/describe-message.ts'
import { nameStatus } from '../ui/text/name-status.ts'

const wordsMaxLength = 300

interface LabelledMessage {
  message: MessageDocument
  isOwn: boolean
  ownId: string
  peerName: string
  /** The message replied to, if known. */
  quoted: Pick<MessageDocument, 'senderId'> | undefined
}

/**
 * A message's label for screen readers: who, when, its state, and its text: `You, 10:02, in reply
 * to Ben, edited, starred, delivered: hello`.
 */
export function labelMessage({ message, isOwn, ownId, peerName, quoted }: LabelledMessage): string {
  const isDeleted = message.deletedAt !== undefined
  const facts = [
    isOwn ? 'You' : peerName,
    formatClockTime(message.createdAt),
    message.replyTo && !isDeleted && nameAnswered(message, quoted, peerName),
    isEdited(message) && 'edited',
    message.isStarred && 'starred',
    ...listReactions(message.reactions).map(
      ({ userId, emoji }) => `${userId === ownId ? 'you' : peerName} reacted ${emoji}`,
    ),
    isOwn && !isDeleted && nameStatus(message.status).toLowerCase(),
  ]
  return `${facts.filter(Boolean).join(', ')}: ${cutAtWord(describeMessage(message), wordsMaxLength)}`
}

function nameAnswered(
  { peerId }: MessageDocument,
  quoted: LabelledMessage['quoted'],
  peerName: string,
): string {
  if (!quoted) return 'a reply'
  return `in reply to ${quoted.senderId === peerId ? peerName : 'you'}`
}

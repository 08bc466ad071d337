import type { ConversationKeys } from '../../encryption/conversation-keys.ts'
import type { GroupKeys } from '../../encryption/group-keys.ts'
import {
  keepLaterWording,
  type OpenedMessage,
  openMessage,
  readEpochId,
  sealMessage,
} from '../../encryption/sealed-message.ts'
import type { MessageCollection } from './collections.ts'

/** How the messages of one person's database are sealed and opened, with the keys known now. */
export interface Sealing {
  /** The message with its words, as far as there are keys for them. */
  open(message: OpenedMessage): OpenedMessage
  /** What arrived over a message that this device has, with the latest of its author's wordings. */
  keep(arrived: OpenedMessage, held: OpenedMessage): OpenedMessage
  /** The message with what this person wrote since `before` sealed, where both sides have keys. */
  seal(message: OpenedMessage, before: OpenedMessage | undefined): OpenedMessage
  /** Can words to this person be sealed? */
  canSeal(peerId: string): boolean
  /** Is that the epoch that words to this person are sealed with now? */
  isSealedNow(peerId: string, epochId: string): boolean
  /** Has this person keys, here or on another device? Without any, nothing is ever sealed. */
  isOn(): boolean
  /** Must what this person writes to the other be sealed, whether this device can or not? */
  mustSeal(peerId: string): boolean
  /**
   * The message as it may leave: where the server lacks words of this person that are not sealed,
   * or are sealed with former keys and were never sent, sealed now. The same object when nothing is
   * to be done.
   * @param server the server's version of it, as far as it is known
   */
  sealOwed(message: OpenedMessage, server: Partial<OpenedMessage> | undefined): OpenedMessage
}

/** @param given.readKeys undefined until the database is open */
export function createSealing(given: {
  userId: string
  readKeys: () =>
    | (Pick<ConversationKeys, 'find' | 'findCurrent'> &
        Pick<Sealing, 'isOn' | 'mustSeal'> & { groups: Pick<GroupKeys, 'take'> })
    | undefined
}): Sealing {
  const { userId, readKeys } = given
  const findEpoch: ConversationKeys['find'] = (...asked) => readKeys()?.find(...asked)
  const findCurrent = (peerId: string) => readKeys()?.findCurrent(peerId)

  function open(message: OpenedMessage): OpenedMessage {
    const { epoch } = message
    // What comes behind it in the same page is sealed with it.
    if (epoch) readKeys()?.groups.take([{ ...message, epoch }])
    return openMessage(message, findEpoch)
  }

  function seal(message: OpenedMessage, before: OpenedMessage | undefined): OpenedMessage {
    const epoch = findCurrent(message.peerId)
    const sealed = sealMessage(message, { before, userId, epoch, findEpoch })
    if (sealed.sealed === undefined || sealed.link === undefined) return sealed
    // What stands beside sealed words is open.
    const { link, ...rest } = sealed
    return rest
  }

  return {
    open,
    keep: (arrived, held) => keepLaterWording(arrived, { held, findEpoch }),
    seal,
    canSeal: (peerId) => findCurrent(peerId) !== undefined,
    isSealedNow: (peerId, epochId) => findCurrent(peerId)?.id === epochId,
    isOn: () => readKeys()?.isOn() ?? false,
    mustSeal: (peerId) => readKeys()?.mustSeal(peerId) ?? false,
    sealOwed(message, server) {
      const { peerId, senderId, locked, deletedAt } = message
      const epoch = findCurrent(peerId)
      if (!epoch || locked !== undefined || deletedAt !== undefined) return message
      const isUnsent = message.status === 'sending'
      const reaction = message.reactions?.[userId]
      const areWordsOwed =
        senderId === userId &&
        (message.sealed === undefined
          ? isUnsent || (server !== undefined && message.content !== server.content)
          : isUnsent && readEpochId(message.sealed) !== epoch.id)
      const isReactionOwed =
        reaction !== undefined &&
        reaction.emoji !== '' &&
        reaction.sealed === undefined &&
        reaction.emoji !== server?.reactions?.[userId]?.emoji
      if (!areWordsOwed && !isReactionOwed) return message
      const before: OpenedMessage = {
        ...message,
        ...(areWordsOwed && { content: '', file: undefined }),
        ...(isReactionOwed && { reactions: {} }),
      }
      return seal(message, before)
    },
  }
}

/** Nothing is sealed, and nothing opens. */
const noSealing: Sealing = {
  open: (message) => openMessage(message, () => undefined),
  keep: (arrived) => arrived,
  seal: (message) => message,
  canSeal: () => false,
  isSealedNow: () => true,
  isOn: () => false,
  mustSeal: () => false,
  sealOwed: (message) => message,
}

/** How this collection's messages are sealed. */
export function sealingOf(messages: MessageCollection): Sealing {
  return (messages.options as { sealing?: Sealing }).sealing ?? noSealing
}

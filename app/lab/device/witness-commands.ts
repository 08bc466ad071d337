import type { ConversationDocument } from '../../../schema/conversation.ts'
import { isAccepted, type MessageDocument } from '../../../schema/message.ts'
import type { MessengerCommands } from '../../sync/messenger-commands.ts'
import type { Witness } from './witness.ts'

/** The same commands, reporting each edit and deletion of an own message, and each mark, to the witness. */
export function witnessCommands(options: {
  commands: MessengerCommands
  userId: string
  witness: Witness
  /** The device's stored version of a message. */
  read: (messageId: string) => Promise<MessageDocument | undefined>
  readConversation: (peerId: string) => Promise<ConversationDocument | undefined>
}): MessengerCommands {
  const { commands, userId, witness, read, readConversation } = options

  async function noteMarks(peerId: string) {
    const held = await readConversation(peerId)
    if (held) witness.recordMarks(userId, held)
  }

  /** A command without the right to change it, or without a change, writes no version. */
  async function note(
    id: string,
    command: { change: () => Promise<void>; isDone: (held: MessageDocument) => boolean },
  ) {
    const before = await read(id)
    await command.change()
    const held = await read(id)
    if (held?.senderId !== userId || (before && command.isDone(before))) return
    if (command.isDone(held)) witness.recordVersion(held)
  }

  const isDeleted = ({ deletedAt }: MessageDocument) => deletedAt !== undefined
  return {
    ...commands,
    editMessage: (id, content) =>
      note(id, {
        change: () => commands.editMessage(id, content),
        isDone: (held) => held.content === content.trim(),
      }),
    deleteMessage: (id) =>
      note(id, { change: () => commands.deleteMessage(id), isDone: isDeleted }),
    async discardMessage(id) {
      let isDiscarded = false
      const change = async () => {
        isDiscarded = await commands.discardMessage(id)
      }
      await note(id, { change, isDone: isDeleted })
      return isDiscarded
    },
    async markRead(peerId, place) {
      await commands.markRead(peerId, place)
      await noteMarks(peerId)
    },
    /** It discards what the chat has not sent. */
    async clearConversation(peerId) {
      const own = witness.said.filter(({ authorId }) => authorId === userId)
      const readAll = () => Promise.all(own.map(({ id }) => read(id)))
      const before = await readAll()
      await commands.clearConversation(peerId)
      await noteMarks(peerId)
      for (const [index, held] of (await readAll()).entries()) {
        const was = before[index]
        if (was?.peerId !== peerId || isAccepted(was) || isDeleted(was)) continue
        if (held && isDeleted(held)) witness.recordVersion(held)
      }
    },
  }
}

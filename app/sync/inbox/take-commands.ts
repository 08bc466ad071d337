import { markRead } from '../../database/commands/mark-read.ts'
import { sendMessage } from '../../database/commands/send-message.ts'
import type { CommandContext } from '../../database/storage/collections.ts'
import type { Inbox, InboxCommand } from '../../database/storage/inbox.ts'
import { readDocuments } from '../../database/storage/read-documents.ts'

/**
 * Carries out what the person did in notifications, as if in the app: each stays in the inbox until
 * the device's database has it. The worker may have sent it already; its id makes that the same
 * message (P2).
 * @returns how many wait, mostly for a message that has not arrived
 */
export async function takeCommands(options: {
  inbox: Pick<Inbox, 'listCommands' | 'dropCommand'>
  context: CommandContext
  onError: (error: unknown) => void
}): Promise<number> {
  const { inbox, context, onError } = options
  let waiting = 0
  for (const command of await inbox.listCommands()) {
    const isDone = await carryOut(context, command).catch((error: unknown) => {
      // One that fails stays, and does not hold up the others.
      onError(error)
      return false
    })
    if (isDone) await inbox.dropCommand(command.id)
    else waiting += 1
  }
  return waiting
}

/** @returns false when it has to wait for the message that it is about */
async function carryOut(context: CommandContext, command: InboxCommand): Promise<boolean> {
  const { messages } = context.database
  if (command.kind === 'reply') {
    const { id, peerId, text } = command
    const isStored = (await readDocuments(messages, [id])).has(id)
    if (!isStored) await sendMessage(context, { id, peerId, content: text })
    return true
  }
  const { peerId, messageId } = command
  const place =
    command.upTo ?? (await readDocuments(messages, [messageId])).get(messageId)?.orderedAt
  if (place === undefined) return false
  await markRead(context, { peerId, place })
  return true
}

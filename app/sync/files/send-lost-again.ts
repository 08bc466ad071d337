import type { CommandContext } from '../../database/commands/command-context.ts'
import { retryMessage } from '../../database/commands/retry-message.ts'
import { createFileShelf } from '../../database/files/file-shelf.ts'
import type { PendingFiles } from './pending-files.ts'

/** Sends messages again whose files the server has lost, where this device still holds them. */
export async function sendLostAgain(
  context: CommandContext,
  messageIds: readonly string[],
): Promise<void> {
  const shelf = createFileShelf(context)
  for (const _id of messageIds) if (await shelf.read({ _id })) await retryMessage(context, _id)
}

/**
 * What was uploaded for messages that the server has not taken yet may be lost: they owe their uploads again. Where the
 * server still has a file, the same upload is the same file.
 */
export async function owePendingAgain(
  context: CommandContext,
  pending: PendingFiles,
): Promise<void> {
  await pending.ready()
  const shelf = createFileShelf(context)
  for (const { _id } of pending.listUploaded()) {
    if (!(await shelf.read({ _id }))) continue
    await pending.change(_id, (message) => {
      const { mediaUrl, ...rest } = message
      return message.status === 'sending' ? rest : message
    })
  }
}

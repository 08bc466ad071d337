import { retryMessage } from '../../database/commands/change-message.ts'
import { createFileStore } from '../../database/files/file-store.ts'
import type { CommandContext } from '../../database/storage/collections.ts'

/** Resends messages whose files the server lost, where this device still holds them. */
export async function sendLostAgain(
  context: CommandContext,
  messageIds: readonly string[],
): Promise<void> {
  const store = createFileStore(context)
  for (const _id of messageIds) if (await store.read({ _id })) await retryMessage(context, _id)
}

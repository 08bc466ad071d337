import type { StoredEpoch } from '../../database/storage/open-device-store.ts'

/** Under this name it is noted in which epoch the files of this device were compared with the server's. */
export const filesEpoch = 'files'

/** The epoch that the server was put back into, and of whose files nobody has asked yet; undefined when there is none. */
export function findUnseenEpoch(rows: readonly StoredEpoch[]): string | undefined {
  const find = (name: string) => rows.find(({ _id }) => _id === name)
  const messages = find('messages')
  if (!messages?.isRenewed) return undefined
  return messages.epoch === find(filesEpoch)?.epoch ? undefined : messages.epoch
}

import type { StoredEpoch } from '../../database/storage/open-device-store.ts'

/** The name under which the device notes the epoch of its last file comparison with the server. */
export const filesEpoch = 'files'

/** The restored epoch for which no file check has run yet; undefined when there is none. */
export function findUnseenEpoch(rows: readonly StoredEpoch[]): string | undefined {
  const find = (name: string) => rows.find(({ _id }) => _id === name)
  const messages = find('messages')
  if (!messages?.isRenewed) return undefined
  return messages.epoch === find(filesEpoch)?.epoch ? undefined : messages.epoch
}

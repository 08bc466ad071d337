import type { EntityTable } from 'dexie'
import type { KeyNote } from '../../database/storage/keyring.ts'
import type { PetrelDatabase } from '../../database/storage/open-database.ts'
import { subscribeToTable } from '../../database/storage/open-device-store.ts'
import { createLiveValue, type LiveValue } from '../../database/views/live-value.ts'

/** What this device has of the person's own keys. */
export interface OwnKeys {
  /** The number of the newest keys on this device. */
  number?: number
  /** The recovery key, until the person says that they have it. */
  recoveryKey?: string
}

/** Follows the keys on this device, whichever tab changes them. */
export function createOwnKeys(options: {
  database: Pick<PetrelDatabase, 'keyring' | 'device'>
  onError: (cause: unknown) => void
}): { keys: LiveValue<OwnKeys>; readNumber(): Promise<number | undefined>; close(): void } {
  const { database, onError } = options
  const { keyring, device } = database
  const keys = createLiveValue<OwnKeys>({})
  const state = { recoveryKey: undefined as string | undefined }

  function publish() {
    const number = keyring.current()?.number
    const { recoveryKey } = state
    const before = keys.getSnapshot()
    if (before.number === number && before.recoveryKey === recoveryKey) return
    keys.set({ ...(number && { number }), ...(recoveryKey && { recoveryKey }) })
  }

  const stopNotes = subscribeToTable(device.keyNotes as unknown as EntityTable<KeyNote, '_id'>, {
    onRows(rows) {
      const note = rows.find(({ _id }) => _id === 'recovery')
      state.recoveryKey = note?._id === 'recovery' ? note.text : undefined
      publish()
    },
    onError,
  })
  const stopKeys = keyring.onChange(publish)
  publish()
  return {
    keys,
    readNumber: async () => (await keyring.read())?.number,
    close() {
      stopNotes()
      stopKeys()
    },
  }
}

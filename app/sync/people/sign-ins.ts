import type { Session } from '../../../schema/api/auth.ts'
import type { KeptSignIns, PeopleStore } from '../../database/storage/people-store.ts'

/** This person's signed-in devices, also known without a network. */
export interface SignIns {
  /** As the server last gave them to this device, if it ever did. */
  readKnown(): Promise<KnownSignIns | undefined>
  /** As the server has them now. Rejects with words for a person. */
  read(): Promise<KnownSignIns>
}

/** `at`: when the server gave them, epoch ms. */
export type KnownSignIns = Omit<KeptSignIns, '_id'>

export function createSignIns(options: {
  table: PeopleStore['signIns']
  listSessions: () => Promise<readonly Session[]>
  now: () => number
  onError: (cause: unknown) => void
}): SignIns {
  const { table, listSessions, now, onError } = options
  return {
    readKnown: () => table.get('sign-ins'),
    async read() {
      const known = { sessions: await listSessions(), at: now() }
      // A full disk takes the list for later, not the one for now.
      await table.put({ _id: 'sign-ins', ...known }).catch(onError)
      return known
    },
  }
}

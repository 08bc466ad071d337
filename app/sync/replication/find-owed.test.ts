import { expect, test } from 'vitest'
import { openOwedNotes } from '../../database/storage/dexie/owed-notes.ts'
import { toStoredMessage } from '../../database/storage/stored-message.ts'
import { idOf } from '../../database/testing/open-test-conversation.ts'
import { ann, openTestDatabase } from '../../database/testing/open-test-database.ts'
import { testMessage } from '../../database/testing/test-message.ts'
import { findOwed, wholeKey } from './find-owed.ts'
import { openReplicationNotes } from './replication-notes.ts'

const identifier = 'test'

test.each(['what is noted', 'all that is stored'])(
  'P11: everything that is owed is found in %s, however much it is',
  async (where) => {
    const { database } = await openTestDatabase()
    const { messages } = database
    const ids = Array.from({ length: 401 }, (_, place) => idOf(place + 1))
    const written = ids.map((_id, place) =>
      toStoredMessage(testMessage(place, { _id, senderId: ann }), ann),
    )
    await messages.bulkInsert(written)
    const own = await openOwedNotes(messages)
    if (where === 'what is noted') await own.setMarks([wholeKey(identifier)])
    const notes = await openReplicationNotes(messages, identifier)
    const { owed, settled } = await findOwed({ collection: messages, notes, identifier })
    expect(owed.map(({ _id }) => _id).toSorted()).toEqual(ids)
    expect(settled).toEqual([])
    await notes.close()
  },
)

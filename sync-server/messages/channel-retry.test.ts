import { afterEach, expect, test } from 'vitest'
import { createDeferred } from '../../schema/helpers/deferred.ts'
import { createRelations } from '../access/relations.ts'
import {
  openTestAcceptance,
  propose,
  type TestAcceptance,
  writeMessage,
} from '../testing/open-test-acceptance.ts'
import type { Stage } from './acceptance/delivery-types.ts'
import { type OutboxEntry, outboxDatabase } from './acceptance/outbox-entry.ts'
import { createAcceptance } from './message-acceptance.ts'

const contactId = '01900000-0000-7000-8000-0000000000cc'
const opened = {} as { t: TestAcceptance }
afterEach(() => opened.t.close())

test('P2: a retry after a crash between the outbox and the own copy sends nothing again that may have left', async () => {
  opened.t = await openTestAcceptance({ isAtomic: false })
  const { storage, ann: actorId } = opened.t
  const relations = createRelations({
    database: storage.database('accounts'),
    isShared: false,
    isContact: async () => true,
  })
  const reached = createDeferred()
  const crash = async (stage: Stage) => {
    if (stage !== 'peer') return
    reached.resolve()
    await new Promise(() => undefined)
  }
  const proposals = [propose(writeMessage({ senderId: actorId, recipientId: contactId }))]
  createAcceptance({ storage, relations, onStage: crash })
    .acceptMessages({ actorId, proposals })
    .catch(() => undefined)
  await reached.promise
  const outbox = storage.database<OutboxEntry>(outboxDatabase)
  const [entry] = await outbox.range({})
  expect(entry).toMatchObject({ state: 'due', contactId })
  const claimed = { ...entry, state: 'unknown' } as OutboxEntry
  await outbox.update([claimed._id], () => ({ put: [claimed], result: undefined }))

  const again = createAcceptance({ storage, relations })
  expect(await again.acceptMessages({ actorId, proposals })).toMatchObject([{ isTaken: true }])
  expect(await opened.t.readMessages(actorId)).toMatchObject([{ waState: 'queued' }])
  expect(await outbox.range({})).toMatchObject([{ state: 'unknown' }])
  await again.close()
})

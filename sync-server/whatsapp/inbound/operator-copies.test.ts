import { afterEach, expect, test } from 'vitest'
import { createRelations } from '../../access/relations.ts'
import { type Acceptance, createAcceptance } from '../../messages/message-acceptance.ts'
import {
  openTestAcceptance,
  propose,
  type TestAcceptance,
  writeMessage,
} from '../../testing/open-test-acceptance.ts'
import { createContacts } from '../customers/contacts.ts'
import { createOperatorCopies } from './operator-copies.ts'

const contactId = '01900000-0000-7000-8000-0000000000cc'
const opened = {} as { t: TestAcceptance; acceptance: Acceptance }
afterEach(async () => {
  await opened.acceptance.close()
  await opened.t.close()
})

test('P5: what two servers learn of a message at the same time stands in it together', async () => {
  const t = await openTestAcceptance()
  const { storage, ann } = t
  const relations = createRelations({
    database: storage.database('accounts'),
    isShared: false,
    isContact: async () => true,
  })
  const acceptance = createAcceptance({ storage, relations })
  Object.assign(opened, { t, acceptance })
  const contacts = createContacts({ database: storage.database('whatsapp') })
  const message = writeMessage({ senderId: ann, recipientId: contactId })
  await acceptance.acceptMessages({ actorId: ann, proposals: [propose(message)] })

  const openCopies = (before: () => Promise<unknown>) =>
    createOperatorCopies({
      storage,
      contacts,
      now: Date.now,
      acceptance: {
        ...acceptance,
        async acceptMessages(request) {
          await before()
          return await acceptance.acceptMessages(request)
        },
      },
    })
  const two = openCopies(async () => undefined)
  const numbers = { from_phone: '15550783881', to_phone: '15555550100' }
  const meanwhile = { count: 0 }
  const one = openCopies(async () => {
    meanwhile.count += 1
    if (meanwhile.count > 1) return
    await two.change(ann, message._id, (stored) => ({ ...stored, ...numbers, waState: 'accepted' }))
  })
  const changed = await one.change(ann, message._id, (stored) => ({
    ...stored,
    status: 'delivered',
    statusHistory: [...stored.statusHistory, { status: 'delivered', timestamp: 1 }],
  }))
  expect(changed).toMatchObject({
    isChanged: true,
    message: { ...numbers, status: 'delivered', waState: 'accepted', providerVersion: 3 },
  })
})

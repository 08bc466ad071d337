import { expect, test } from 'vitest'
import { createHeardNames } from '../people.ts'

const ann = { _id: 'ann', isWhatsAppContact: true, whatsapp_name: '+15555550100' }

test('a customer who now has a name is read again, once', () => {
  const loaded: string[] = []
  const { handle } = createHeardNames({ load: async (id) => loaded.push(id) })
  handle(ann, { senderId: 'me', senderName: 'Lucky Shrub' })
  handle(ann, undefined)
  handle({ ...ann, whatsapp_name: 'Ann' }, { senderId: 'ann', senderName: 'Ann' })
  handle({ _id: 'ann' }, { senderId: 'ann', senderName: 'Ann' })
  expect(loaded).toEqual([])
  handle(ann, { senderId: 'ann', senderName: 'Ann' })
  // The operator may have named her differently, whatever her messages say.
  handle(ann, { senderId: 'ann', senderName: 'Ann' })
  expect(loaded).toEqual(['ann'])
})

test('without an answer the next message asks again', async () => {
  const asked: string[] = []
  const { handle } = createHeardNames({
    load: async (id) => {
      asked.push(id)
      throw new Error('offline')
    },
  })
  handle(ann, { senderId: 'ann', senderName: 'Ann' })
  await Promise.resolve()
  await expect
    .poll(() => {
      handle(ann, { senderId: 'ann', senderName: 'Ann' })
      return asked.length
    })
    .toBeGreaterThan(1)
})

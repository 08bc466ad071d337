import { expect, test } from 'vitest'
import { createHeardNames } from './heard-names.ts'

const ann = { _id: 'ann', isWhatsAppContact: true, whatsapp_name: '+15555550100' }

test('a customer who now has a name is read again, once', () => {
  const loaded: string[] = []
  const { hear } = createHeardNames({ load: async (id) => loaded.push(id) })
  hear(ann, { senderId: 'me', senderName: 'Lucky Shrub' })
  hear(ann, undefined)
  hear({ ...ann, whatsapp_name: 'Ann' }, { senderId: 'ann', senderName: 'Ann' })
  hear({ _id: 'ann' }, { senderId: 'ann', senderName: 'Ann' })
  expect(loaded).toEqual([])
  hear(ann, { senderId: 'ann', senderName: 'Ann' })
  // The operator may call her otherwise, whatever her messages say.
  hear(ann, { senderId: 'ann', senderName: 'Ann' })
  expect(loaded).toEqual(['ann'])
})

test('without an answer the next message asks again', async () => {
  const asked: string[] = []
  const { hear } = createHeardNames({
    load: async (id) => {
      asked.push(id)
      throw new Error('offline')
    },
  })
  hear(ann, { senderId: 'ann', senderName: 'Ann' })
  await Promise.resolve()
  await expect
    .poll(() => {
      hear(ann, { senderId: 'ann', senderName: 'Ann' })
      return asked.length
    })
    .toBeGreaterThan(1)
})

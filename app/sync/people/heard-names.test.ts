import { expect, test } from 'vitest'
import { createHeardNames } from '../people.ts'

const ann = { _id: 'ann', isWhatsAppContact: true, username: '+15555550100' }

test('a customer who now has a name is read again, once', () => {
  const loaded: string[] = []
  const { handle } = createHeardNames({ load: async (id) => loaded.push(id) })
  handle(ann, undefined)
  handle(ann, '+15555550100')
  handle({ ...ann, username: 'Ann' }, 'Ann')
  handle({ _id: 'ann', username: 'ann' }, 'Ann')
  expect(loaded).toEqual([])
  handle(ann, 'Ann')
  // The operator may have named her differently, whatever the channel tells.
  handle(ann, 'Ann')
  expect(loaded).toEqual(['ann'])
})

test('without an answer the next look asks again', async () => {
  const asked: string[] = []
  const { handle } = createHeardNames({
    load: async (id) => {
      asked.push(id)
      throw new Error('offline')
    },
  })
  handle(ann, 'Ann')
  await Promise.resolve()
  await expect
    .poll(() => {
      handle(ann, 'Ann')
      return asked.length
    })
    .toBeGreaterThan(1)
})

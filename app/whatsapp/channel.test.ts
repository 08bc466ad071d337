import { expect, test } from 'vitest'
import { testSession } from '../api/testing/open-test-answers.ts'
import { readChannel } from './channel.ts'
import { describeLink } from './describe-window.ts'

const { user } = testSession

test.each([
  [{}, false],
  [{ phone_number: '15550100200' }, false],
  [{ phone_number: '15550100200', wa_id: '15550100200' }, true],
  [{ phone_number_id: '106540352242922' }, true],
])('a record with %j is linked: %s', (fields, isLinked) => {
  expect(readChannel({ ...user, ...fields }).isLinked).toBe(isLinked)
})

test.each([
  ['live', 'Connected'],
  ['sandbox', 'Connected'],
  ['off', 'Saved, not connected'],
] as const)('on a server whose channel is %s a link reads %s', (whatsapp_channel, words) => {
  const linked = { ...user, phone_number: '15550100200', wa_id: '15550100200' }
  expect(describeLink(readChannel({ ...linked, whatsapp_channel }))).toBe(words)
  expect(describeLink(readChannel({ ...user, whatsapp_channel }))).toBe('Not connected')
})

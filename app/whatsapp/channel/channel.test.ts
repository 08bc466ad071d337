import { expect, test } from 'vitest'
import { testSession } from '../../api/test-session.ts'
import { readChannel } from './channel.ts'

const { user } = testSession

test.each([
  [{}, false],
  [{ phone_number: '15550100200' }, false],
  [{ phone_number: '15550100200', wa_id: '15550100200' }, true],
  [{ phone_number_id: '106540352242922' }, true],
])('a record with %j is linked: %s', (fields, isLinked) => {
  expect(readChannel({ ...user, ...fields }).isLinked).toBe(isLinked)
})

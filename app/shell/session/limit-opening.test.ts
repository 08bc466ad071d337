import { expect, test } from 'vitest'
import { createDeferred } from '../../../schema/helpers/deferred.ts'
import { openTestLab } from '../../lab/open-test-lab.ts'
import type { Messenger } from '../../sync/messenger-types.ts'
import { limitOpening } from './services.ts'

test('opens in time; after the limit it fails with words, and closes a late messenger', async () => {
  const { ann } = await openTestLab()
  const { messenger } = await ann.device()
  expect(await limitOpening(Promise.resolve(messenger))).toBe(messenger)
  const { promise, resolve } = createDeferred<Messenger>()
  await expect(limitOpening(promise, 10)).rejects.toThrow('Close the other tabs of Petrel')
  const closed = createDeferred()
  resolve({
    ...messenger,
    async close() {
      closed.resolve(undefined)
    },
  })
  await closed.promise
})

test('a storage error of the browser becomes words that a person understands', async () => {
  const refused = new DOMException('The user denied permission.', 'SecurityError')
  const opening = limitOpening(Promise.reject<Messenger>(refused))
  await expect(opening).rejects.toThrow("couldn't use this browser's storage")
  await expect(opening).rejects.toMatchObject({ cause: refused })
})

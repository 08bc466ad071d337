import { expect, test } from 'vitest'
import { describeWaiting } from './use-own-profile.ts'

const entry = { state: 'waiting', request: { kind: 'picture', picture: new Blob() } } as const

test('P6: what waits says so, and what is under way does not', () => {
  expect(describeWaiting([entry], { isOffline: true })).toEqual({
    picture: "Your new picture is kept here and will be uploaded when you're back online.",
  })
  const problem = { words: 'busy', code: 'busy' }
  expect(describeWaiting([{ ...entry, problem }], { isOffline: false })).toEqual({
    picture: 'Your new picture is kept here and will be uploaded as soon as the server answers.',
  })
  expect(describeWaiting([entry], { isOffline: false })).toEqual({})
  expect(describeWaiting([{ ...entry, state: 'refused' }], { isOffline: true })).toEqual({})
})

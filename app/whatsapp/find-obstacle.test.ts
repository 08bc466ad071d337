import { expect, test } from 'vitest'
import { findObstacle } from './channel-bar.tsx'

test('a server without WhatsApp promises no time to write to a customer', () => {
  expect(findObstacle({ isLinked: true, isOff: true })?.words).toMatch(/isn't connected/)
  expect(findObstacle({ isLinked: false, isOff: false })?.words).toMatch(/isn't linked/)
  expect(findObstacle({ isLinked: true, isOff: false })).toBeUndefined()
})

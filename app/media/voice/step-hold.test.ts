import { expect, test } from 'vitest'
import { stepHold } from './voice-tool.tsx'

const still = { right: 0, down: 0, heldMs: 2_000 }

test.each([
  ['a click goes on without the finger', { ...still, type: 'up', heldMs: 150 }, 'lock'],
  ['a hold sends when the finger leaves', { ...still, type: 'up' }, 'send'],
  ['a finger that trembles holds', { ...still, type: 'move', right: -20, down: -15 }, undefined],
  ['far to the left gives it up', { ...still, type: 'move', right: -95, down: -30 }, 'cancel'],
  ['far up goes on without the finger', { ...still, type: 'move', right: -40, down: -75 }, 'lock'],
  ['more up than left is up', { ...still, type: 'move', right: -95, down: -120 }, 'lock'],
  ['to the right and down is nothing', { ...still, type: 'move', right: 300, down: 90 }, undefined],
  ['a finger that the browser takes loses nothing', { ...still, type: 'taken' }, 'lock'],
] as const)('%s', (_what, finger, end) => {
  expect(stepHold(finger)).toBe(end)
})
